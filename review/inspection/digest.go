package inspection

import (
	"slices"
	"strconv"

	"toolcrib/history"
	"toolcrib/review/impact"
)

// Digest seals everything that a decider is shown: the proposal and its content,
// its base, the rules and the configuration, the findings and the waivers, what it
// does to every channel prompt that it changes, and the other members of its change
// set. A decision with this digest applies to exactly that or fails. It does not cover
// the rest of those prompts: others change that, and show it when they do.
func (d *Inspector) Digest(v View) string {
	fields := []string{
		"toolcrib review 3",
		string(v.Proposal.ID),
		strconv.Itoa(v.Proposal.Revision),
		v.Revision.ContentHash,
		v.Revision.Canonical(),
		strconv.Itoa(v.Proposal.BaseVersion),
		d.rulesVersion(),
		v.Assessment.ID,
		string(v.Assessment.Recommendation),
	}
	var keys []string
	for _, s := range v.Standing {
		keys = append(keys, s.Seal())
	}
	slices.Sort(keys)
	return history.Seal(append(fields, history.Seal(keys...), impact.Seal(v.Rendered), v.ChangeSet.Seal)...)
}

// SetDigest seals a change set as a whole: the review digests of those members
// that are decided together. It is "" while one of them has none.
func SetDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}
