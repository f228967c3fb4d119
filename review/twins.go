package review

import (
	"context"

	"toolcrib/proposals"
	"toolcrib/review/rules"
)

// mostTwins sets how many proposals with the text of another one are looked at.
const mostTwins = 8

// twins returns the latest proposals, open or rejected, that have the text of a
// draft: those on other subjects, and those that say the same of its own subject
// in everything. Of its own subject, a text that stays while something else
// changes counts as a revision, not as a twin.
func twins(ctx context.Context, r Reader, id proposals.ID, draft proposals.Draft) ([]rules.Twin, error) {
	hash := draft.TextHash()
	if hash == "" {
		return nil, nil
	}
	same, err := r.SameText(ctx, hash, id, mostTwins)
	if err != nil {
		return nil, err
	}
	var found []rules.Twin
	for _, p := range same {
		if p.Subject == draft.Subject && p.ContentHash != draft.Definition.Hash() {
			continue
		}
		rev, err := r.Revision(ctx, p.ID, p.Revision)
		if err != nil {
			return nil, err
		}
		twin := rules.Twin{Name: name(p), Tool: rev.Draft.Definition.Tool, Rejected: p.State == proposals.Rejected}
		if twin.Rejected {
			decisions, err := r.Decisions(ctx, p.ID)
			if err != nil {
				return nil, err
			}
			for _, d := range decisions { // the last one is the rejection
				twin.Reason = d.Note
			}
		}
		found = append(found, twin)
	}
	return found, nil
}
