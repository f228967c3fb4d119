package wording

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

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
		spans = append(spans, list[i].at)
		why[list[i].at.Start] = c.reasons(&list[i], c.table())
	}
	found := list[0].text.Findings(spans, func(p rules.Passage) string {
		return "Reads like an instruction or a demand, not like honest text: " + why[p.Start] + "."
	})
	if total > len(list) {
		found[len(found)-1].More(total - len(list))
	}
	return found
}

// reasons names the words of a sentence that weigh most, at most four, and the
// concepts, at most three.
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
			sum += int(table.Weights[pieceGroup][h&(1<<TableBits[pieceGroup]-1)])
		}
		words[w] = table.weight("w:"+stem(w)) + sum/max(1, len(f[pieceGroup]))
	}
	concepts := map[string]int{}
	for name := range grammar().Each(s.concepts) {
		if !isDomain(name) {
			concepts[name] = table.weight("." + name)
		}
	}
	parts := slices.Concat(heaviest("words", words, 4), heaviest("concepts", concepts, 3))
	if len(parts) == 0 {
		return "what it speaks of, and where"
	}
	return strings.Join(parts, "; ")
}

// heaviest lists the n keys of weights that weigh most, if any weighs something.
func heaviest(what string, weights map[string]int, n int) []string {
	var keys []string
	for k, w := range weights {
		if w > 0 {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(weights[b], weights[a]), strings.Compare(a, b)) })
	keys = keys[:min(n, len(keys))]
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%+q", scan.Fold(k))
	}
	return []string{what + " " + strings.Join(keys, ", ")}
}
