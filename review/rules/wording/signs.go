package wording

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/review/rules/scan/letters"

	"toolcrib/review/rules"
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
	said := strings.ToLower(s.Text)
	var f Features
	for _, w := range tokens(nil, s.Text, c.setting()) {
		if w[0] == '~' || idle[w] || len(w) < 4 || w[0] < utf8.RuneSelf && !strings.Contains(said, w) {
			continue
		}
		f.reset()
		f.pieces(w)
		sum := 0
		for _, h := range f[pieceGroup] {
			sum += table.Weights[pieceGroup].At(h)
		}
		words[letters.Fold(w)] = table.weight("w:"+stem(w)) + sum/max(1, len(f[pieceGroup]))
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
