package wording

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/review/rules/scan/disguise"

	"toolcrib/registry/wire"
	"toolcrib/review/rules"
)

// evidence is the weighed wording of a definition.
type evidence struct {
	byRule map[string][]rules.Finding
	signs  []Sentence // sentences that are telling and that no rule names
	// sentences are all that were judged, found the findings with their places.
	sentences []Sentence
	found     []candidate
}

// evidence judges the wording of the change, once for all rules.
func (c *View) evidence() *evidence {
	c.evidences.Do(func() { c.evidenceOf = c.judge(c.table()) })
	return c.evidenceOf
}

// table returns the learned table for the kind of the changed definition.
func (c *View) table() *Learned {
	if c.Learned != nil {
		return c.Learned
	}
	if c.IsAction() {
		return toolTable()
	}
	return promptTable()
}

// looked returns what the wording rules find in the change, before it is weighed.
func (c *View) looked() []candidate {
	var found []candidate
	for i := range attacks() {
		a := &attacks()[i]
		for _, f := range a.look(c) {
			f.Rule, f.most = a.ID, a.severity
			found = append(found, f)
		}
	}
	return found
}

// Sentences returns every sentence of c that can be judged, with the rules that
// fired in it. It does not depend on a table.
func (c *View) Sentences() []Sentence {
	list, _ := c.sentencesWith(nil, c.looked())
	return list
}

// sentencesWith returns the sentences that are judged, scored by table, and for
// each finding the number of its sentence, -1 for none. Without a table it returns
// every sentence.
func (c *View) sentencesWith(table *Learned, found []candidate) ([]Sentence, []int) {
	var list []Sentence
	in := make([]int, len(found))
	for i := range in {
		in[i] = -1
	}
	var x Clauses
	for _, s := range c.Scan() {
		from := len(list)
		list = c.sentences(list, s, table)
		for n := range found {
			if found[n].text == &s.Text {
				in[n] = hit(list, from, &found[n])
			}
		}
	}
	if table == nil {
		return list, in
	}
	for k := range list {
		c.clausesOf(&list[k], &x)
		list[k].score = table.Best(&x)
	}
	return list, in
}

// hit notes a finding in the sentence that it begins in, among list[from:].
func hit(list []Sentence, from int, f *candidate) int {
	for k := from; k < len(list); k++ {
		s := &list[k]
		if f.at.Start >= s.at.End || f.at.End <= s.at.Start {
			continue
		}
		if f.most != rules.Info && !slices.Contains(s.frames, f.frame()) {
			s.frames = append(s.frames, f.frame())
		}
		return k
	}
	return -1
}

// Clauses returns the features of a sentence of c.
func (c *View) Clauses(s *Sentence) *Clauses {
	x := &Clauses{}
	c.clausesOf(s, x)
	return x
}

// judge turns what the rules found and the score of each sentence into
// findings. This function alone decides what evidence is worth:
//
//   - a frame in disguise warns whatever else stands there: nobody disguises an
//     honest sentence;
//   - a frame that its rule calls certain warns, in a tool also one of a rule whose
//     frames are complete;
//   - any other frame warns, unless the table holds its sentence and every run of its
//     clauses to be like honest ones: words around an attack do not lower it;
//   - a sentence that the table holds to be telling warns without a frame, or with a
//     higher score when all its frames are spoken of;
//   - a plain frame blocks, and a complete one: an act of sending, something
//     protected, and a concrete address outside, in one sentence;
//   - in a tool, frames of two independent classes in telling sentences block,
//     and so does a frame where no user looks;
//   - in a prompt, frames of two independent classes in one sentence warn, whatever
//     the table scores, and block if they warn by themselves.
//
// Otherwise the wording of a prompt never blocks: prompts give orders by nature.
func (c *View) judge(table *Learned) *evidence {
	found := c.looked()
	list, in := c.sentencesWith(table, found)
	e := &evidence{sentences: list, found: found}
	named := make([]bool, len(list))
	for n := range found {
		f := &found[n]
		f.Severity = rules.Info
		if f.most == rules.Info {
			continue
		}
		var s *Sentence
		if in[n] >= 0 {
			s = &list[in[n]]
		}
		if s != nil && f.at.Disguise == 0 && s.custody() {
			continue
		}
		if !f.certain && (f.at.Disguise == 0 || f.at.Disguise&guessed != 0 || f.at.Disguise == disguise.Leet && f.text != nil && f.text.Kind == rules.Label) && (s == nil || s.score < table.frameThreshold(f.frame())) {
			continue
		}
		f.Severity = rules.Warn
		if s == nil {
			continue
		}
		named[in[n]] = true
		if f.most == rules.Block && (f.plain || complete(s) && (c.IsAction() || ordered(s, f)) || c.IsAction() && s.unseen()) {
			f.Severity = rules.Block
		}
	}
	if c.IsAction() {
		agree(found, list, in, table)
	}
	agreeWithin(found, in, named, !c.IsAction())
	e.byRule = c.report(found, list, in)
	for k := range list {
		s := &list[k]
		if !named[k] && !s.custody() && s.text.Visible && s.text.Kind != rules.Program && s.says() && s.score >= table.signThreshold(s, c.Margin()) {
			e.signs = append(e.signs, *s)
		}
	}
	return e
}

// custody reports whether a sentence only says that a secret stays where it is: it is never
// sent, and the sentence has neither an address nor an order.
func (s *Sentence) custody() bool {
	g := grammar()
	if !s.concepts.Meets(g.Concept("negator")) || !s.concepts.Meets(g.Concept("send|store|exfil")) || s.concepts.Meets(g.Concept("url|email|host")) || !stays().MatchString(s.Text) {
		return false
	}
	return !slices.ContainsFunc(clauses(s.Text), func(p rules.Passage) bool {
		return ordered(&Sentence{text: &Scanned{Text: rules.Text{Value: s.Text}}}, &candidate{at: p})
	})
}

// stays finds that something is not handed over, in the passive voice.
var stays = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:is|are|be)\s+(?:never|not)\s+(?:sent|transmitted|shared|uploaded|transferred|logged|stored|exposed)\b|\bnever\s+leaves?\b`)
})

// doubt is how much more a sentence must score if the text only mentions all its
// frames: the table weighs words and cannot know that they are quoted. lonely is the
// same for a line of a prompt that is too short to show what the line adds to it.
const (
	doubt  = 1
	lonely = 0.5
)

// Margin returns how much more than the threshold a sentence of c must score without a
// frame.
func (c *View) Margin() float64 {
	if c.alone() {
		return lonely
	}
	return 0
}

// signThreshold is the score from which s warns without a frame, in a text whose
// sentences must score so much more.
func (t *Learned) signThreshold(s *Sentence, margin float64) float64 {
	if s.spokenOf() {
		margin = max(margin, doubt)
	}
	return float64(t.Threshold) + margin
}

// spokenOf reports whether frames fit in the sentence and the text quotes, denies or
// shows all of them.
func (s *Sentence) spokenOf() bool {
	fits := false
	for i := range s.text.Matches {
		m := &s.text.Matches[i]
		if m.Start < s.at.End && s.at.Start < m.End && m.Nested == s.at.Disguise.Decoded() {
			if !mentioned(m) {
				return false
			}
			fits = true
		}
	}
	return fits
}

// complete reports whether a sentence in which a frame warns has all parts of a theft: an
// act of sending, something protected, and a concrete address.
func complete(s *Sentence) bool {
	g := grammar()
	return s.concepts.Meets(g.Concept("url|email")) &&
		s.concepts.Meets(g.Concept("send|exfil|include")) && s.concepts.Meets(g.Concept("secretFile|secret|internals|wholeTalk|conversation"))
}

// guessed are disguises that are tried because words look like it: a text that only
// looks like it must be judged like any other.
const guessed = disguise.Rot13 | disguise.Reversed

// ordered reports whether what f found in s is part of an order: a clause up to it
// begins with a verb of taking or handing over, or it stands behind a word such as
// "always". Code and the names of things do not.
func ordered(s *Sentence, f *candidate) bool {
	if f.at.Disguise != 0 {
		return true
	}
	value := s.text.Value[min(s.at.Start, f.at.Start):f.at.End]
	g := grammar()
	for _, clause := range clauses(value) {
		words := strings.TrimLeft(value[clause.Start:clause.End], "-*#>_ \t")
		for range maxLead {
			first, rest, _ := strings.Cut(words, " ")
			concepts := g.Scan(first).Concepts
			if strings.IndexFunc(first, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 && !strings.HasPrefix(rest, "of ") && !strings.HasPrefix(rest, "=") &&
				concepts.Meets(g.Concept("read|send|exfil|include")) {
				return true
			}
			if !concepts.Meets(g.Concept("lead|conj|before|also")) {
				break
			}
			words = rest
		}
	}
	return false
}

// maxLead is how many words such as "then always" may stand before the verb of an
// order.
const maxLead = 4

// unseen reports whether the sentence stands where no user looks: in what an
// import pins beside the definition, or in a comment of a schema.
func (s *Sentence) unseen() bool {
	return s.text.Kind == rules.Note || strings.HasPrefix(s.Path, wire.SourcePath)
}

// frameThreshold is the score from which the frame warns: that of a rule, or of one
// kind of its findings.
func (t *Learned) frameThreshold(rule string) float64 {
	if at, ok := t.WithFrame[rule]; ok {
		return float64(min(at, t.Threshold))
	}
	return float64(t.Threshold)
}

// telling reports whether a sentence is worth a warning, in a text whose sentences must
// score so much more without a frame.
func (t *Learned) telling(s *Sentence, margin float64) bool {
	return s.score >= t.signThreshold(s, margin) || slices.ContainsFunc(s.frames, func(rule string) bool { return s.score >= t.frameThreshold(rule) })
}

// agree raises findings of two independent classes to the worst that they can
// be, when both warn and are certain or in telling words.
func agree(found []candidate, list []Sentence, in []int, table *Learned) {
	classes := map[string]bool{}
	sure := make([]bool, len(found))
	for n := range found {
		f := &found[n]
		if f.Severity.Rank() < rules.Warn.Rank() || in[n] < 0 {
			continue
		}
		s := &list[in[n]]
		sure[n] = f.certain || s.score >= float64(table.Threshold)
		if sure[n] {
			classes[classOf(f.Rule)] = true
		}
	}
	if len(classes) < 2 {
		return
	}
	for n := range found {
		if sure[n] {
			found[n].Severity = found[n].most
		}
	}
}

// agreeWithin weighs frames of two independent classes in one sentence. Two that warn by
// themselves get the worst severity that they can: reading a key and sending it to a stranger,
// or sending it and keeping that from the user. In two sentences that follow each other, honest
// instructions do that too. In a prompt, others in words of their own warn, whatever the table
// scores, and their sentence is marked in named: each may be honest, both in one breath hardly
// are.
func agreeWithin(found []candidate, in []int, named []bool, prompt bool) {
	alone := make([]bool, len(found)) // which warn by themselves
	for n := range found {
		alone[n] = found[n].Severity.Rank() >= rules.Warn.Rank()
	}
	for n := range found {
		f := &found[n]
		for k := range found {
			o := &found[k]
			if in[n] < 0 || in[k] != in[n] || min(f.most.Rank(), o.most.Rank()) < rules.Warn.Rank() || classOf(o.Rule) == classOf(f.Rule) {
				continue
			}
			switch {
			case alone[n] && alone[k]:
				f.Severity = f.most
			case prompt && f.Severity == rules.Info && !o.overlaps(*f):
				f.Severity, named[in[n]] = rules.Warn, true
			}
		}
	}
}

// classOf returns the class of attack of a rule; several rules may share one.
func classOf(rule string) string {
	switch rule {
	case "S101", "S127":
		return "override"
	case "S103", "S131", "S117", "S118":
		return "taking"
	}
	return rule
}
