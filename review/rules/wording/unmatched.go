// This file implements rule S139, which finds attacks that no frame describes.

package wording

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/review/rules"
)

// unmatchedAttacks reports sentences that reach the threshold of the learned table although no
// other rule fired in them.
func unmatchedAttacks(ctx context.Context, change *rules.Change) ([]rules.Finding, error) {
	c := Of(change)
	var found []rules.Finding
	signs := c.evidence().unmatched
	for len(signs) > 0 {
		n := 1
		for n < len(signs) && signs[n].text == signs[0].text {
			n++
		}
		found = append(found, c.unmatchedFindings(ctx, signs[:n])...)
		signs = signs[n:]
	}
	return found, nil
}

// unmatchedFindings returns a finding for each sentence in list. All sentences must belong to the
// same text. If list has too many sentences, the function reports the sentences with the highest
// scores.
func (c *View) unmatchedFindings(ctx context.Context, list []Sentence) []rules.Finding {
	total := len(list)
	if total > rules.MaxPerText {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b Sentence) int { return cmp.Compare(b.score, a.score) })
		list = list[:rules.MaxPerText]
	}
	var spans []rules.Passage
	for i := range list {
		span := list[i].at
		if !span.Disguise.Decoded() {
			span = list[i].text.wholeSentence(span)
		}
		spans = append(spans, span)
	}
	text := list[0].text
	found := text.Findings(spans, func(p rules.Passage) string {
		passage := text.Value[p.Start:p.End]
		if c.Before != nil {
			if in, err := c.ApprovedIn(ctx, rules.Finding{Path: text.Path, Passage: passage}); in == nil && err == nil {
				return messageWith("Unusual new sentence in this text", passage, p.Disguise)
			}
		}
		return messageWith("Unusual sentence in this text", passage, p.Disguise)
	})
	if total > len(list) {
		found[len(found)-1].More(total - len(list))
	}
	return found
}
