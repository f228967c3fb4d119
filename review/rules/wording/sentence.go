package wording

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// Sentence is a passage that is judged as a whole: a sentence of a text, or all
// of a short one such as a title or an enum value.
type Sentence struct {
	Path string // of the field
	Text string // decoded when it was encoded

	text     *Scanned
	at       rules.Passage
	concepts scan.Set
	clauses  []scan.Clause
	source   string   // that the clauses are bytes of
	first    bool     // opens the text
	part     bool     // of a sentence, where a rule fired
	frames   []string // rules that fired in it
	score    float64
}

// maxJudged is how many sentences of one text are judged in full. Of a longer
// text those are taken whose concepts weigh most, so that the cost stays
// linear with a small factor.
const maxJudged = 512

// sentences returns the sentences of s that are judged, in their order.
func (c *View) sentences(s *Scanned, table *Learned) []Sentence {
	if (!s.Visible || s.Kind == rules.Program) && len(s.byRule) == 0 {
		return nil // programs and what only reviewers read are judged where a rule fired
	}
	if s.Kind != rules.Prose && s.Kind != rules.Note && s.Kind != rules.Program {
		return wholeText(s)
	}
	var list []Sentence
	for _, i := range table.mostTelling(s.Sentences, s.Matches) {
		x := &s.Sentences[i]
		list = append(list, Sentence{Path: s.Path, Text: s.Value[x.Start:x.End], text: s, at: rules.Passage{Start: x.Start, End: x.End}, concepts: x.Concepts, clauses: s.Clauses[x.Clauses[0]:x.Clauses[1]], source: s.Value, first: i == 0})
	}
	for _, d := range s.Decoded {
		if !d.Disguise.Decoded() {
			continue
		}
		r := grammar().Scan(d.Text)
		for _, i := range table.mostTelling(r.Sentences, r.Matches) {
			x := &r.Sentences[i]
			list = append(list, Sentence{Path: s.Path, Text: d.Text[x.Start:x.End], text: s, at: rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise}, concepts: x.Concepts, clauses: r.Clauses[x.Clauses[0]:x.Clauses[1]], source: d.Text})
		}
	}
	return list
}

// wholeText returns a short text, which has no sentences, as one. An
// identifier is judged only where a rule fired in it.
func wholeText(s *Scanned) []Sentence {
	if s.Kind == rules.Identifier && len(s.byRule) == 0 {
		return nil
	}
	return []Sentence{{Path: s.Path, Text: s.Value, text: s, at: rules.Passage{End: len(s.Value)}, concepts: s.Concepts, clauses: s.Clauses, source: s.Value, first: true}}
}

// mostTelling returns the numbers of the sentences in which a frame matches, and
// besides of at most maxJudged with the heaviest concepts, in their order; of all
// without a table.
func (t *Learned) mostTelling(list []scan.Sentence, matches []scan.Match) []int {
	kept := make([]int, 0, min(len(list), 2*maxJudged))
	if t == nil || len(list) <= maxJudged {
		for i := range list {
			kept = append(kept, i)
		}
		return kept
	}
	weights := make([]int, len(list))
	for i := range list {
		weights[i] = t.roughly(&list[i].Concepts)
	}
	for i := range matches {
		k, _ := slices.BinarySearchFunc(list, matches[i].Start, func(s scan.Sentence, at int) int { return cmp.Compare(s.End, at+1) })
		if k < len(list) {
			weights[k] = math.MaxInt
		}
	}
	sorted := slices.Clone(weights)
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(b, a) })
	least := sorted[maxJudged-1]
	for i, w := range weights {
		if w == math.MaxInt || w >= least && len(kept) < maxJudged {
			kept = append(kept, i)
		}
	}
	return kept
}

// setting has the name, the claimed purpose and the parameters of the tool whose
// sentences are judged.
type setting struct {
	about map[string]bool // stems of its names and its first sentence
	names map[string]bool // its names and those of its parameters, in lower case
	// count is how often each stem stands in a prompt, concepts in how many sentences
	// each concept does, sentences how many there are, hosts how often each host of an
	// address is named.
	count     map[string]int
	concepts  []int
	sentences int
	hosts     map[string]int
}

func (c *View) setting() *setting {
	c.settings.Do(func() { c.settingOf = c.newSetting() })
	return c.settingOf
}

func (c *View) newSetting() *setting {
	st := &setting{about: map[string]bool{}, names: map[string]bool{}}
	d := &c.Draft.Definition
	for _, name := range []string{d.ID(), d.Name()} {
		st.names[strings.ToLower(name)] = true
	}
	t := d.Tool
	if t != nil && t.Provider != nil {
		st.names[strings.ToLower(t.Provider.Name)] = true
	}
	for name := range st.names {
		for w := range wordsIn(name) {
			st.about[stem(w)] = true
		}
	}
	if !c.IsAction() {
		c.surround(st)
		return st
	}
	for w := range wordsIn(scan.Fold(firstSentence(t.Description))) {
		if !idle[w] && w != "tool" && w != "user" {
			st.about[stem(w)] = true
		}
	}
	for _, text := range c.Texts() {
		if text.Visible && text.Kind == rules.Identifier && text.Value == text.Param {
			st.names[strings.ToLower(text.Value)] = true
		}
	}
	return st
}

// another reports whether word is a name such as read_file that is neither the
// tool's own nor that of a parameter.
func (st *setting) another(word string) bool {
	i := strings.IndexByte(word, '_')
	return i > 0 && i < len(word)-1 && !st.names[strings.ToLower(word)]
}

// withoutLinks cuts URLs out of text: their words are not those of a sentence.
func withoutLinks(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	var b strings.Builder
	for {
		start := strings.Index(text, "://")
		if start < 0 {
			return b.String() + text
		}
		end := start
		for start > 0 && LetterOrDigit(rune(text[start-1])) {
			start--
		}
		for end < len(text) && text[end] > ' ' && text[end] != ')' && text[end] != '"' {
			end++
		}
		b.WriteString(text[:start])
		text = text[end:]
	}
}

func LetterOrDigit(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// isDomain reports whether the concept names the domain of a tool: its name is a
// "d" and a capital.
func isDomain(concept string) bool {
	return concept[0] == 'd' && concept[1] >= 'A' && concept[1] <= 'Z'
}

// Opens reports whether the sentence is the first of its text.
func (s *Sentence) Opens() bool { return s.first }

// Part reports whether the passage is a part of a sentence in which a rule fired, to
// be judged beside it.
func (s *Sentence) Part() bool { return s.part }

// Frames returns the ids of the rules that fired in the sentence, with the kind of
// finding of those that have several.
func (s *Sentence) Frames() []string { return s.frames }

// fewWords is the number of words that a sentence without a frame needs to be
// judged.
const fewWords = 4

// says reports whether the sentence says enough to be judged by itself.
func (s *Sentence) says() bool {
	words, glyphs := 0, 0
	for w := range strings.FieldsSeq(s.Text) {
		words++
		for _, r := range w {
			if unspaced(r) {
				glyphs++
			}
		}
	}
	return words >= fewWords || glyphs >= 2*fewWords
}

// Judged reports whether the sentence is judged: agents see it, and it has enough
// words or a frame fits in it.
func (s *Sentence) Judged() bool { return s.text.Visible && (s.says() || len(s.frames) > 0) }

// quoted is the rule that shows what the others let pass because it is spoken
// of rather than said.
func quoted() rules.Rule {
	return rules.Rule{
		ID: "S125",
		Check: func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
			c := Of(change)
			var found []rules.Finding
			for i := range c.Scan() {
				found = append(found, c.quotes(&c.Scan()[i])...)
			}
			return found, nil
		},
	}
}

// onlyLabelled reports whether nothing but a label such as "Sample response:"
// sets m apart.
func onlyLabelled(m *scan.Match) bool {
	g := grammar()
	return !m.Quoted && m.Lead.Meets(g.Concept("sampled")) && m.Lead.Meets(g.Concept("sample"))
}

// quotes finds the attacks in s that are spoken of.
func (c *View) quotes(s *Scanned) []rules.Finding {
	var plain, loose []rules.Passage
	for i := range s.Matches {
		m := &s.Matches[i]
		switch p := s.whole(rules.Passage{Start: m.Start, End: m.End}); {
		case !s.Visible || !counts(m.Frame) || !mentioned(m) || m.Stance&(scan.Negated|scan.Asked|scan.Crossed) != 0:
		case s.Governs() || m.Stance&scan.Shown != 0:
			plain = append(plain, p)
		case setApart(m) && (!onlyLabelled(m) || c.about("sampled|detect")):
			plain = append(plain, p)
		default:
			loose = append(loose, p)
		}
	}
	listed := s.Findings(plain, func(p rules.Passage) string {
		return rules.Quoting("Quotes a phrase that would be an attack if it were said", s.Value[p.Start:p.End])
	})
	for i := range listed {
		listed[i].Severity = rules.Info
	}
	return append(listed, s.Findings(loose, func(p rules.Passage) string {
		return rules.Quoting("Speaks of a phrase that would be an attack if it were said, and does not set it apart", s.Value[p.Start:p.End])
	})...)
}

// readable is the rule about encoded text that does no harm.
func readable() rules.Rule {
	return rules.Rule{
		ID: "S137",
		Check: EachText(func(s *Scanned) []rules.Finding {
			var spans []rules.Passage
			for _, d := range s.Decoded {
				if s.Visible && d.Disguise&(scan.Base64|scan.Hex|scan.Bits) != 0 {
					spans = append(spans, rules.Passage{Start: d.Start, End: d.End, Disguise: d.Disguise})
				}
			}
			return s.Findings(spans, func(p rules.Passage) string {
				return rules.Quoting("Decodes to readable text ("+disguised(p.Disguise)+")", s.decoded(p))
			})
		}),
	}
}

// fencedCalls finds calls in the JSON form that stand in a code fence: a model
// writes calls as it sees them written.
func fencedCalls(c *View) []candidate {
	var found []candidate
	for i := range c.Scan() {
		s := &c.Scan()[i]
		if !s.Visible || s.Kind != rules.Prose {
			continue
		}
		found = append(found, s.candidates(fences(s.Value), func(rules.Passage) string {
			return "Shows a tool call in a code block; a call is the whole answer, without a fence."
		})...)
	}
	return found
}

// fences returns the code fences in text that hold a tool call.
func fences(text string) []rules.Passage {
	const fence = "```"
	var spans []rules.Passage
	for at := 0; ; {
		open := strings.Index(text[at:], fence)
		if open < 0 {
			return spans
		}
		open += at
		end := strings.Index(text[open+len(fence):], fence)
		if end < 0 {
			return spans
		}
		end += open + 2*len(fence)
		if isCall(text[open+len(fence) : end-len(fence)]) {
			spans = append(spans, rules.Passage{Start: open, End: end})
		}
		at = end
	}
}

// isCall reports whether block, after the name of its language, is an object
// with the keys of a call.
func isCall(block string) bool {
	if lang, rest, ok := strings.Cut(block, "\n"); ok && !strings.Contains(lang, "{") {
		block = rest
	}
	block = strings.TrimSpace(block)
	return strings.HasPrefix(block, "{") && strings.Contains(block, `"tool"`) && strings.Contains(block, `"args"`)
}
