// This file decides the severity of findings about wording.

package wording

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/internal/lazyregexp"
	"toolcrib/registry/wire"
	"toolcrib/review/reach/fact"
	"toolcrib/review/reach/prose"
	"toolcrib/review/reach/shell"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan/disguise"
)

// evidence is the result of scoring the wording of a definition.
type evidence struct {
	byRule    map[string][]rules.Finding
	unmatched []Sentence // sentences that score as attacks although no rule fired in them
	// sentences contains all scored sentences. found contains the candidates with their severities.
	sentences []Sentence
	found     []candidate
}

// table returns the learned table for the definition: c.Learned if it is set, and otherwise the
// current table for tools or for prompts.
func (c *View) table() *Learned {
	if c.Learned != nil {
		return c.Learned
	}
	if c.IsAction() {
		return toolTable()
	}
	return promptTable()
}

// candidates returns the candidates of all rules about wording. They have no severity yet.
func (c *View) candidates() []candidate {
	var found []candidate
	for i := range attacks() {
		a := &attacks()[i]
		for _, f := range a.candidates(c) {
			f.Rule, f.maxSeverity = a.ID, a.severity
			found = append(found, f)
		}
	}
	return found
}

// Sentences returns every sentence of c that can be scored, together with the rules that fired in
// it. The result does not depend on a learned table.
func (c *View) Sentences() []Sentence {
	list, _ := c.sentencesWith(nil, c.candidates())
	return list
}

// sentencesWith returns sentences of the definition with their scores. The table scores the
// sentences, and selects sentences of long texts. If the table is nil, sentencesWith returns every
// sentence, without a score. The second result contains, for each candidate, the index of the
// candidate's sentence, or -1 if no returned sentence contains the candidate.
func (c *View) sentencesWith(table *Learned, candidates []candidate) ([]Sentence, []int) {
	var list []Sentence
	in := make([]int, len(candidates))
	for i := range in {
		in[i] = -1
	}
	for _, s := range c.scanned() {
		from := len(list)
		list = c.sentences(list, s, table)
		for n := range candidates {
			if candidates[n].text == &s.Text {
				in[n] = recordFrame(list, from, &candidates[n])
			}
		}
	}
	if table == nil {
		return list, in
	}
	x := scratch.Get().(*Clauses) //nolint:forcetypeassert // nothing else is stored
	defer scratch.Put(x)
	for k := range list {
		c.clausesOf(&list[k], x)
		list[k].score = table.Best(x)
	}
	return list, in
}

// scratch contains Clauses for reuse. They keep their vocabulary.
var scratch = sync.Pool{New: func() any { return &Clauses{} }}

// recordFrame searches list[start:] for the sentence that contains the start of f, and records the
// frame of f in this sentence. It returns the index of the sentence in list, or -1 if no sentence
// contains f.
func recordFrame(list []Sentence, start int, f *candidate) int {
	for k := start; k < len(list); k++ {
		s := &list[k]
		if f.passage.Start >= s.at.End || f.passage.End <= s.at.Start {
			continue
		}
		if f.maxSeverity != rules.Info && !slices.Contains(s.frames, f.frame()) {
			s.frames = append(s.frames, f.frame())
		}
		return k
	}
	return -1
}

// Clauses returns the features of the clauses of s.
func (c *View) Clauses(s *Sentence) *Clauses {
	x := &Clauses{}
	c.clausesOf(s, x)
	x.vocabulary = vocabulary{}
	return x
}

// judge determines the severity of every candidate from the frames that match and from the score of
// the sentence:
//
//   - A disguised frame warns regardless of its context, because benign sentences are not
//     disguised.
//   - A certain frame warns. In a tool, a complete frame also warns.
//   - Any other frame warns unless the table scores the sentence and every run of its clauses as
//     benign. Scoring the runs prevents harmless words around an attack from lowering the score.
//   - A sentence that scores as an attack warns even without a matching frame. The threshold is
//     higher if the text only mentions the frames that match.
//   - A plain frame blocks. A frame also blocks in a sentence with a complete attack: a verb of
//     sending, something protected, and a concrete address.
//   - In a tool, frames of two independent classes block if their sentences score as attacks. A
//     frame in a text that users do not see also blocks.
//   - In a prompt, frames of two independent classes in the same sentence warn regardless of the
//     score, and block if each frame warns alone. Frames of two independent classes in
//     neighboring sentences warn.
//
// In all other cases, the wording of a prompt never blocks, because prompts consist of
// instructions.
func (c *View) judge() *evidence {
	found, table := c.candidates(), c.table()
	list, in := c.sentencesWith(table, found)
	e := &evidence{sentences: list, found: found}
	named := make([]bool, len(list))
	for n := range found {
		f := &found[n]
		f.Severity = rules.Info
		if f.maxSeverity == rules.Info {
			continue
		}
		var s *Sentence
		if in[n] >= 0 {
			s = &list[in[n]]
		}
		if s != nil && f.passage.Disguise == 0 && s.deniesSending() {
			continue
		}
		if !f.certain && (f.passage.Disguise == 0 || f.passage.Disguise&guessedDisguises != 0 || f.passage.Disguise == disguise.Leet && f.text.Kind == rules.Label) && (s == nil || s.score < table.frameThreshold(f.frame())) {
			continue
		}
		f.Severity = rules.Warn
		if s == nil {
			continue
		}
		named[in[n]] = true
		if f.maxSeverity == rules.Block && (f.plain || describesTheft(s) && (c.IsAction() || isOrdered(s, f)) || c.IsAction() && s.isHiddenFromUsers()) {
			f.Severity = rules.Block
		}
	}
	if c.IsAction() {
		combineClasses(found, list, in, table)
	}
	// Compare only candidates of the same sentence and of nearby sentences. Comparing all
	// candidates would take quadratic time for a skill with many files.
	groups := map[int][]int{} // the candidates that can warn, by the index of their sentence
	for n := range found {
		if in[n] >= 0 && found[n].maxSeverity.Rank() >= rules.Warn.Rank() {
			groups[in[n]] = append(groups[in[n]], n)
		}
	}
	combineInSentence(found, groups, named, !c.IsAction())
	if !c.IsAction() {
		combineNearby(found, list, groups, named, table)
	}
	e.byRule = c.report(found, list, in)
	for k := range list {
		s := &list[k]
		if !named[k] && !s.deniesSending() && s.text.Visible && s.text.Kind != rules.Program && s.hasEnoughWords() && s.score >= table.unmatchedThreshold(s, c.Margin()) {
			e.unmatched = append(e.unmatched, *s)
		}
	}
	return e
}

// deniesSending reports whether s only states that a secret is never sent. Such a sentence contains
// neither an address nor an instruction to read or send something.
func (s *Sentence) deniesSending() bool {
	g := grammar()
	if !s.concepts.Meets(g.Concept("negator")) || !s.concepts.Meets(g.Concept("send|store|exfil")) || s.concepts.Meets(g.Concept("url|email|host")) || !notHandedOver().MatchString(s.Text) {
		return false
	}
	return !slices.ContainsFunc(clauses(s.Text), func(p rules.Passage) bool {
		return isOrdered(&Sentence{text: &Scanned{Text: rules.Text{Value: s.Text}}}, &candidate{passage: p})
	})
}

// notHandedOver matches a statement that something is never sent or does not leave a place.
var notHandedOver = lazyregexp.New(`(?i)\b(?:is|are|be)\s+(?:never|not)\s+(?:sent|transmitted|shared|uploaded|transferred|logged|stored|exposed)\b|\bnever\s+leaves?\b`)

// These margins are added to the threshold for a sentence without a frame. doubt applies to a
// sentence that only mentions frames, because the table scores words and does not recognize
// quotations. frameless applies in a prompt that is too short to show whether the sentence fits the
// other sentences. localCommand applies to a sentence that only requests the output of commands
// such as git remote -v.
const (
	doubt        = 1
	frameless    = 0.5
	localCommand = 2.5
)

// Margin returns the number that is added to the threshold for sentences of c without a frame.
func (c *View) Margin() float64 {
	if c.isShortPrompt() {
		return frameless
	}
	return 0
}

// unmatchedThreshold returns the minimum score of a warning about s without a frame. margin is the
// result of View.Margin.
func (t *Learned) unmatchedThreshold(s *Sentence, margin float64) float64 {
	if s.onlyMentioned() {
		margin = max(margin, doubt)
	}
	if s.score >= float64(t.Threshold)+margin && s.inspects() {
		margin += localCommand
	}
	return float64(t.Threshold) + margin
}

// inspects reports whether s quotes only commands that show local state. It returns false if s also
// names another program, contains a word about secrets or sending, or has any other effect that
// package prose recognizes.
func (s *Sentence) inspects() bool {
	found := false
	for _, m := range quotedText().FindAllStringSubmatch(s.Text, -1) {
		if strings.Contains(m[1], "://") {
			continue // its address is among the facts that are checked below
		}
		if _, inspects := shell.Inspects(m[1]); !inspects {
			return false
		}
		found = true
	}
	if g := grammar(); !found || shell.Names(quotedText().ReplaceAllString(s.Text, ": ")) || s.concepts.Meets(g.Concept("secretFile|secret|exfil|send|hide|email")) {
		return false
	}
	text := webAddress().ReplaceAllStringFunc(s.Text, func(address string) string {
		if isTemplate(address) {
			return ""
		}
		return address
	})
	var facts fact.List
	facts.Read("", text, 0, prose.Read)
	return !slices.ContainsFunc(facts.Facts(), func(f fact.Fact) bool {
		_, inspects := shell.Inspects(f.Value)
		return f.Kind != fact.Link && (f.Kind != fact.Run || !inspects)
	})
}

var webAddress = lazyregexp.New(`[a-z]+://[^\s'"]+`)

// quotedText matches a quotation, but not an apostrophe. The end of a sentence may cut off the
// quotation.
var quotedText = lazyregexp.New("(?:^|[\\s(:])['\"`“]([^\\s'\"`“”][^'\"`“”\n]*)(?:['\"`”]|$)")

// onlyMentioned reports whether at least one frame matches in s, and the text only mentions each
// match; see mentioned.
func (s *Sentence) onlyMentioned() bool {
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

// describesTheft reports whether s contains all parts of a theft: a verb of sending, something
// protected, and a concrete address.
func describesTheft(s *Sentence) bool {
	g := grammar()
	return s.concepts.Meets(g.Concept("url|email")) &&
		s.concepts.Meets(g.Concept("send|exfil|include")) && s.concepts.Meets(g.Concept("secretFile|secret|internals|wholeTalk|conversation"))
}

// guessedDisguises are the disguises that are recognized only by the appearance of words. Ordinary
// text may look the same, so a match in a text with such a disguise is scored like any other match.
const guessedDisguises = disguise.Rot13 | disguise.Reversed

// isOrdered reports whether f is part of an instruction in s. This is the case if one of the
// clauses up to the end of f begins with a verb of reading or sending, possibly after words such as
// "always". Code and names are not verbs. A disguised match is always treated as an instruction.
func isOrdered(s *Sentence, f *candidate) bool {
	if f.passage.Disguise != 0 {
		return true
	}
	value := s.text.Value[min(s.at.Start, f.passage.Start):f.passage.End]
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

// maxLead is the maximum number of words that are read at the beginning of a clause to find its
// verb.
const maxLead = 4

// isHiddenFromUsers reports whether users do not see s, because s is in a $comment of a schema, or
// in imported data that the definition does not contain.
func (s *Sentence) isHiddenFromUsers() bool {
	return s.text.Kind == rules.Note || strings.HasPrefix(s.Path, wire.SourcePath)
}

// frameThreshold returns the minimum score of a warning about a frame of the given rule. rule is
// the id of the rule, followed by the kind of the finding if the rule has several kinds.
func (t *Learned) frameThreshold(rule string) float64 {
	if at, ok := t.WithFrame[rule]; ok {
		return float64(min(at, t.Threshold))
	}
	return float64(t.Threshold)
}

// warns reports whether the score of s is high enough for a warning, with or without a frame.
func (t *Learned) warns(s *Sentence, margin float64) bool {
	return s.score >= t.unmatchedThreshold(s, margin) || slices.ContainsFunc(s.frames, func(rule string) bool { return s.score >= t.frameThreshold(rule) })
}

// combineClasses raises the sure candidates to their maximum severity if they belong to at least
// two independent classes. A candidate is sure if it warns and either is certain or is in a
// sentence that scores as an attack.
func combineClasses(candidates []candidate, list []Sentence, sentenceOf []int, table *Learned) {
	classes := map[string]bool{}
	sure := make([]bool, len(candidates))
	for n := range candidates {
		f := &candidates[n]
		if f.Severity.Rank() < rules.Warn.Rank() || sentenceOf[n] < 0 {
			continue
		}
		s := &list[sentenceOf[n]]
		sure[n] = f.certain || s.score >= float64(table.Threshold)
		if sure[n] {
			classes[classOf(f.Rule)] = true
		}
	}
	if len(classes) < 2 {
		return
	}
	for n := range candidates {
		if sure[n] {
			candidates[n].Severity = candidates[n].maxSeverity
		}
	}
}

// combineInSentence combines frames of two independent classes in the same sentence.
//
// If both frames warn alone, each gets its maximum severity. An example is a sentence about reading
// a key and sending the key to a third party. Benign instructions contain such pairs in consecutive
// sentences, so pairs across sentences do not block; see combineNearby.
//
// In a prompt, two frames that do not overlap warn regardless of the score, and their sentence is
// marked in named. Each frame alone may be benign, but the combination rarely is.
func combineInSentence(found []candidate, groups map[int][]int, named []bool, prompt bool) {
	alone := make([]bool, len(found)) // the candidates that warn without another frame
	for n := range found {
		alone[n] = found[n].Severity.Rank() >= rules.Warn.Rank()
	}
	for at, group := range groups {
		for _, n := range group {
			for _, k := range group {
				f, o := &found[n], &found[k]
				switch {
				case classOf(o.Rule) == classOf(f.Rule):
				case alone[n] && alone[k]:
					f.Severity = f.maxSeverity
				case prompt && f.Severity == rules.Info && !o.overlaps(*f):
					f.Severity, named[at] = rules.Warn, true
				}
			}
		}
	}
}

// combineNearby raises frames of two independent classes in neighboring sentences of a prompt to
// warn, unless one of the sentences scores as clearly benign. An attack may spread over several
// sentences, while benign frames are rare and occur alone. A frame in a prohibition is ignored
// unless its rule is about concealment.
func combineNearby(found []candidate, list []Sentence, groups map[int][]int, named []bool, table *Learned) {
	counts := func(n, at int) bool {
		s := &list[at]
		return s.score >= float64(table.Threshold)-clearlyBenign && (found[n].Rule == "S102" || found[n].Rule == "S148" || !prohibition().MatchString(s.Text))
	}
	for at, group := range groups {
		for other := at + 1; other <= at+nearby; other++ {
			for _, n := range group {
				for _, k := range groups[other] {
					f, o := &found[n], &found[k]
					if f.text != o.text || classOf(f.Rule) == classOf(o.Rule) || !counts(n, at) || !counts(k, other) {
						continue
					}
					if f.Severity == rules.Info {
						f.Severity, named[at] = rules.Warn, true
					}
					if o.Severity == rules.Info {
						o.Severity, named[other] = rules.Warn, true
					}
				}
			}
		}
	}
}

// nearby is the maximum difference between the indices of two sentences that count as neighboring.
// A sentence is clearly benign if its score is more than clearlyBenign below the threshold.
const (
	nearby        = 2
	clearlyBenign = 4
)

var prohibition = lazyregexp.New(`(?i)^\W*(?:do not|don't|never|avoid|must not|should not)\b`)

// classOf returns the class of attacks that the rule with the given id detects. Rules that detect
// similar attacks share a class.
func classOf(rule string) string {
	switch rule {
	case "S101", "S127":
		return "override"
	case "S103", "S131", "S117", "S118":
		return "taking"
	}
	return rule
}
