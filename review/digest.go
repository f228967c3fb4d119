package review

import (
	"context"
	"slices"
	"strconv"

	"toolcrib/history"
)

// digest seals what a decider is shown: the proposal and its content, the base
// it is held against, the rules and the configuration, the findings and the
// waivers, every channel prompt as it would be, and the other members of its
// change set. Whoever passes it back decides on exactly that or not at all.
func (d *Desk) digest(v view) string {
	fields := []string{
		"toolcrib review 2",
		string(v.Proposal.ID),
		strconv.Itoa(v.Proposal.Revision),
		v.Revision.ContentHash,
		v.Revision.Canonical(),
		strconv.Itoa(v.Proposal.BaseVersion),
		d.RulesVersion(),
		v.Assessment.ID,
		string(v.Assessment.Recommendation),
	}
	var keys []string
	for _, s := range v.Standing {
		keys = append(keys, s.seal())
	}
	slices.Sort(keys)
	return history.Seal(append(fields, history.Seal(keys...), history.EncodeRendered(v.Rendered), v.company.seal)...)
}

// seal is over all of a finding that a decider is shown.
func (s Standing) seal() string {
	waived := ""
	if s.Waiver != nil {
		waived = s.Waiver.ID
	}
	return history.Seal(key(s.Finding), string(s.Severity), s.Message, waived)
}

// view is what the desk looks at to decide about one proposal.
type view struct {
	Bundle
	Standing []Standing
	company  company // of its change set, itself included; zero when it stands alone
	Rendered map[string]string
	Digest   string // "" while there is no assessment
}

// look makes of what was written about a proposal, and of what surrounds it, all
// that a decision about it depends on.
func (d *Desk) look(ctx context.Context, r *glance, b Bundle) (view, error) {
	v := view{Bundle: b}
	p := b.Proposal
	var err error
	if v.company, err = r.company(ctx, p.ChangeSet); err != nil {
		return v, err
	}
	if v.Assessment.ID == "" {
		return v, nil
	}
	v.Standing = stand(v.Assessment.Report.Findings, v.Waivers, p.Revision, d.stamp())
	if !p.State.Open() {
		return v, nil // what was decided on stands in the decision
	}
	if v.Rendered, err = d.rendered(ctx, r, v); err != nil {
		return v, err
	}
	v.Digest = d.digest(v)
	return v, nil
}
