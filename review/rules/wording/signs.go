package wording

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// signs is the rule for attacks that no frame describes. It reports sentences
// that a learned table holds to be telling and in which no other rule fired.
func signs() rules.Rule {
	return rules.Rule{
		ID: "S139",
		Check: func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
			c := Of(change)
			var found []rules.Finding
			signs := c.evidence().signs
			for len(signs) > 0 {
				n := 1
				for n < len(signs) && signs[n].text == signs[0].text {
					n++
				}
				found = append(found, c.signFindings(signs[:n])...)
				signs = signs[n:]
			}
			return found, nil
		},
	}
}

// signFindings makes findings of telling sentences of one text: of those with the
// highest scores, when there are many.
func (c *View) signFindings(list []Sentence) []rules.Finding {
	total := len(list)
	if total > rules.MaxPerText {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b Sentence) int { return cmp.Compare(b.score, a.score) })
		list = list[:rules.MaxPerText]
	}
	var spans []rules.Passage
	why := map[int]string{}
	for i := range list {
		span := list[i].at
		if !span.Disguise.Decoded() {
			span = list[i].text.whole(span)
		}
		spans = append(spans, span)
		why[span.Start] = c.reasons(&list[i], c.table())
	}
	text := list[0].text
	found := text.Findings(spans, func(p rules.Passage) string {
		return told("Resembles, as a whole, sentences of known attacks, and may be honest"+why[p.Start], text.Value[p.Start:p.End], p.Disguise)
	})
	if total > len(list) {
		found[len(found)-1].More(total - len(list))
	}
	return found
}

// reasons names, in brackets, the words of a sentence that weigh most, at most four; ""
// where none does.
func (c *View) reasons(s *Sentence, table *Learned) string {
	words := map[string]int{}
	for _, w := range tokens(s.Text, c.setting()) {
		if w[0] == '~' || idle[w] || len(w) < 4 || w[0] < utf8.RuneSelf && !strings.Contains(strings.ToLower(s.Text), w) {
			continue
		}
		var f Features
		f.pieces(w)
		sum := 0
		for _, h := range f[pieceGroup] {
			sum += table.Weights[pieceGroup].At(h)
		}
		words[scan.Fold(w)] = table.weight("w:"+stem(w)) + sum/max(1, len(f[pieceGroup]))
	}
	heavy := heaviest(words, 4)
	if len(heavy) == 0 {
		return ""
	}
	return " (the words that weigh most: " + strings.Join(heavy, ", ") + ")"
}

// heaviest lists, in quotation marks, the n keys of weights that weigh most, if any
// weighs something.
func heaviest(weights map[string]int, n int) []string {
	var keys []string
	for k, w := range weights {
		if w > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b)) })
	keys = keys[:min(n, len(keys))]
	for i, k := range keys {
		keys[i] = rules.Quotation(k)
	}
	return keys
}

// idle are words that say nothing of what a tool is about.
var idle = map[string]bool{
	"a": true, "an": true, "the": true, "of": true, "to": true, "and": true, "or": true, "in": true, "on": true, "for": true, "with": true,
	"from": true, "by": true, "is": true, "are": true, "be": true, "it": true, "this": true, "that": true, "as": true, "at": true, "if": true,
	"was": true, "were": true, "has": true, "have": true, "had": true, "been": true, "its": true, "which": true, "there": true, "then": true,
}

// stem cuts the ending of a regular English inflection off, roughly: what
// matters is that the forms of a word come out alike.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ing"):
		return strings.TrimSuffix(undouble(w[:n-3]), "e")
	case n > 4 && strings.HasSuffix(w, "ied"), n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "ed"):
		return strings.TrimSuffix(undouble(w[:n-2]), "e")
	case n > 4 && strings.HasSuffix(w, "es"):
		return w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && w[n-2] != 's':
		return strings.TrimSuffix(w[:n-1], "e")
	case n > 4 && strings.HasSuffix(w, "e"):
		return w[:n-1]
	}
	return w
}

func undouble(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

// wordsOf returns the words of wordsIn as a list.
func wordsOf(text string) []string { return slices.Collect(wordsIn(text)) }

// wordsIn yields the words of ASCII letters in text in lower case, those of
// names such as apiKey and api_key apart; numbers all read "0".
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i := 0; i <= len(text); i++ {
			if i < len(text) && text[i] == '\'' && start >= 0 && i+1 < len(text) && LetterOrDigit(rune(text[i+1]|0x20)) {
				continue
			}
			in := i < len(text) && LetterOrDigit(rune(text[i]))
			if start >= 0 && (!in || parts(text[i-1], text[i])) {
				if !yield(plainly(text[start:i])) {
					return
				}
				start = -1
			}
			if in && start < 0 {
				start = i
			}
		}
	}
}

// parts reports whether a new word begins between two letters or digits.
func parts(before, after byte) bool {
	digit := func(c byte) bool { return c >= '0' && c <= '9' }
	return after >= 'A' && after <= 'Z' && before >= 'a' && before <= 'z' || before != '\'' && digit(before) != digit(after)
}

// plainly returns a word as it is weighed.
func plainly(word string) string {
	if word[0] >= '0' && word[0] <= '9' {
		return "0"
	}
	word = strings.ToLower(word)
	if strings.IndexByte(word, '\'') >= 0 {
		return strings.ReplaceAll(word, "'", "")
	}
	return word
}

// purpose returns the concepts in a tool's id, name and first sentences, its
// claimed purpose. Later sentences are where an attack argues its case.
func (c *View) purpose() scan.Set {
	c.purposes.Do(func() {
		t := c.Draft.Definition.Tool
		if t == nil {
			return
		}
		g := grammar()
		wire := ""
		if t.Provider != nil {
			wire = t.Provider.Name
		}
		c.purposeSet = g.Scan(t.ID + ".\n\n" + wire + ".\n\n" + t.Name + ".\n\n" + firstSentence(t.Description)).Concepts
	})
	return c.purposeSet
}

// named returns the concepts in a tool's id and name alone.
func (c *View) named() scan.Set {
	t := c.Draft.Definition.Tool
	if t == nil {
		return scan.Set{}
	}
	return grammar().Scan(t.ID + ".\n\n" + t.Name).Concepts
}

// firstSentence returns the start of text up to its first full stop or empty
// line, at most 300 bytes.
func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	for _, end := range []string{"\n\n", ". ", ".\n", "!", "<", "["} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i]
		}
	}
	return text[:min(len(text), 300)]
}

// about reports whether the tool's stated purpose has to do with any of the
// named concepts.
func (c *View) about(concepts string) bool {
	return c.purpose().Meets(grammar().Concept(concepts))
}

// IsAction reports whether the change is about a tool that is called.
func (c *View) IsAction() bool {
	t := c.Draft.Definition.Tool
	return t != nil && t.Kind == registry.ActionTool
}
