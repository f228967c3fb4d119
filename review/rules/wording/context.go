// This file collects the context for scoring the sentences of a definition, such as the stated
// purpose of a tool.

package wording

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/internal/plaintext"
	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
	"toolcrib/review/rules/scan/letters"
)

// scoringContext is the context for scoring sentences. For a tool, it contains the names, the
// stated purpose, and the parameters. For a prompt, it contains the names and the numbers of
// occurrences of words.
type scoringContext struct {
	topics map[string]bool // stems of the words in the names and in the first sentence
	names  map[string]bool // names of the tool and its parameters, in lower case
	// The following fields are set for prompts. count is the number of occurrences of each stem.
	// concepts is the number of sentences that contain each concept. sentences is the number of all
	// sentences. hosts is the number of occurrences of each host in an address.
	count     map[string]int
	concepts  []int
	sentences int
	hosts     map[string]int
}

func (c *View) newScoringContext() *scoringContext {
	st := &scoringContext{topics: map[string]bool{}, names: map[string]bool{}}
	d := &c.Draft.Definition
	t := d.Tool
	for _, name := range ownNames(d) {
		for w := range wordsIn(withoutDigits(name)) {
			st.topics[stem(w)] = true
		}
	}
	for _, name := range append(ownNames(d), d.ID(), d.Name()) {
		st.names[strings.ToLower(name)] = true
	}
	if !c.IsAction() {
		c.countWords(st)
		return st
	}
	for w := range wordsIn(letters.Fold(firstSentence(t.Description))) {
		if !stopWords[w] && w != "tool" && w != "user" {
			st.topics[stem(w)] = true
		}
	}
	for _, text := range c.Texts() {
		if text.Visible && text.Kind == rules.Identifier && text.Value == text.Param {
			st.names[strings.ToLower(text.Value)] = true
		}
	}
	return st
}

// ownNames returns those names of a definition that describe its purpose. For a tool of a server,
// it omits the id and the label. Both contain the name of the server or file, which does not
// describe the tool.
func ownNames(d *registry.Definition) []string {
	if t := d.Tool; t != nil && t.Provider != nil && t.Provider.Name != "" {
		return []string{t.Provider.Name}
	}
	return []string{d.ID(), d.Name()}
}

// withoutDigits returns name without digits, because a name such as "srv7" is not about numbers.
func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// fewSentences is the number of sentences that a prompt must have before its sentences are compared
// with each other.
const fewSentences = 6

// isShortPrompt reports whether c changes a prompt with fewer than fewSentences sentences.
func (c *View) isShortPrompt() bool {
	return !c.IsAction() && c.scoringContext().sentences < fewSentences
}

// countWords counts the words, concepts, and hosts of a prompt in st. Scoring uses the counts to
// find sentences with words that do not occur elsewhere. countWords counts identical sentences only
// once, because otherwise an attack could make its words ordinary by repeating them.
func (c *View) countWords(st *scoringContext) {
	size := 0
	for _, s := range c.scanned() {
		size += len(s.Value)
	}
	st.count, st.concepts, st.hosts = make(map[string]int, min(size/20, 512)), make([]int, len(grammar().Names())), map[string]int{}
	left, counted := maxCounted, map[string]bool{}
	for _, s := range c.scanned() {
		if !s.Visible || s.Kind != rules.Prose {
			continue
		}
		for k := range s.Sentences {
			x := &s.Sentences[k]
			if left -= x.End - x.Start; left < 0 {
				return
			}
			said := letters.Fold(s.Value[x.Start:x.End])
			if counted[said] {
				continue
			}
			counted[said] = true
			st.sentences++
			for n := range x.Concepts.Numbers() {
				st.concepts[n]++
			}
			for w := range wordsIn(said) {
				st.count[stem(w)]++
			}
			for host := range hostsIn(s.Value[x.Start:x.End]) {
				st.hosts[host]++
			}
		}
	}
}

// maxCounted limits the part of a prompt that countWords reads, in bytes.
const maxCounted = 128 << 10

// hostsIn yields the hosts of the addresses in text.
func hostsIn(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for {
			_, after, ok := strings.Cut(text, "://")
			if !ok {
				return
			}
			end := strings.IndexFunc(after, func(r rune) bool { return !letterOrDigit(r) && r != '.' && r != '-' })
			if end < 0 {
				end = len(after)
			}
			if host := strings.ToLower(strings.TrimPrefix(after[:end], "www.")); host != "" && !yield(host) {
				return
			}
			text = after[end:]
		}
	}
}

// isForeignName reports whether word has the form of a name such as read_file and is not the name
// of the tool or of one of its parameters.
func (st *scoringContext) isForeignName(word string) bool {
	i := strings.IndexByte(word, '_')
	return i > 0 && i < len(word)-1 && !st.names[strings.ToLower(word)]
}

// IsAction reports whether the changed definition is an action tool.
func (c *View) IsAction() bool {
	t := c.Draft.Definition.Tool
	return t != nil && t.Kind == registry.ActionTool
}

// purposeConcepts returns the concepts in the names and in the first sentence of the tool, which
// state its purpose. It ignores later sentences, because an attack may use them to justify itself.
func (c *View) purposeConcepts() scan.Set {
	t := c.Draft.Definition.Tool
	if t == nil {
		return scan.Set{}
	}
	return grammar().Scan(withoutDigits(strings.Join(ownNames(&c.Draft.Definition), ".\n\n")) + ".\n\n" + firstSentence(t.Description)).Concepts
}

// firstSentence returns the beginning of text up to the end of the first sentence or the first
// empty line. It returns at most 300 bytes.
func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	for _, end := range []string{"\n\n", ". ", ".\n", "!", "<", "["} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i]
		}
	}
	return text[:min(len(text), 300)]
}

// firstClause returns the length of the first clause of text.
func firstClause(text string) int {
	end := len(firstSentence(text))
	for _, joint := range []string{", ", "; ", ": ", " and ", " then "} {
		if i := strings.Index(text[:end], joint); i >= 0 {
			end = i
		}
	}
	return end
}

// purposeHas reports whether the stated purpose of the tool contains at least one of the named
// concepts.
func (c *View) purposeHas(concepts string) bool {
	return c.purpose().Meets(grammar().Concept(concepts))
}

// sharesWordWith reports whether text has a word in common with the names or the first sentence of
// the tool.
func (c *View) sharesWordWith(text string) bool {
	about := c.scoringContext().topics
	return slices.ContainsFunc(wordsOf(letters.Fold(text)), func(w string) bool { return !stopWords[w] && about[stem(w)] })
}

// computesOnly reports whether the names of the tool suggest a tool that only computes something.
func (c *View) computesOnly() bool {
	if c.Draft.Definition.Tool == nil {
		return false
	}
	g := grammar()
	named := g.Scan(withoutDigits(strings.Join(ownNames(&c.Draft.Definition), ".\n\n"))).Concepts
	return named.Meets(g.Concept("dPure")) && !named.Meets(g.Concept("dReach"))
}

// maxPurpose is the maximum length in bytes of a stated purpose that a message quotes.
const maxPurpose = 160

// statedPurpose returns the first sentence of the description of the tool, or the id of the tool if
// the description is empty.
func (c *View) statedPurpose() string {
	t := c.Draft.Definition.Tool
	if t == nil {
		return ""
	}
	return plaintext.ClipBytes(cmp.Or(firstSentence(t.Description), t.ID), maxPurpose)
}
