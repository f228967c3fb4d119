// Package inspection collects the information on which a decision about a proposal depends: its records, its change
// set, the required approvals, and its effect on prompts. The review digest covers this information, and the obstacles
// to an approval are derived from it.
package inspection

import (
	"context"
	"slices"
	"strconv"

	"toolcrib/history"
	"toolcrib/internal/lists"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/impact"
	"toolcrib/review/proof"
	"toolcrib/review/records"
)

// Inspector collects the information on which decisions depend, under a policy.
type Inspector struct {
	records      *records.Records
	policy       review.Policy
	signing      proof.Signing
	rulesVersion func() string
}

// New returns an inspector. signing verifies earlier approvals. rulesVersion identifies the rules and the policy for
// assessments.
func New(r *records.Records, policy review.Policy, signing proof.Signing, rulesVersion func() string) *Inspector {
	return &Inspector{r, policy, signing, rulesVersion}
}

// View contains all information on which a decision about a proposal depends.
type View struct {
	review.Bundle
	Standing     []review.Standing
	ChangeSet    ChangeSet // change set of the proposal, or zero
	Prompts      []impact.PromptChange
	Rendered     map[string]string // seals of the changes to prompts
	Digest       string            // "" before the first assessment
	Endorsements []Endorsement     // earlier approvals that still count
	// Need lists the approvals that the proposal needs, and needsOfOthers those for the other members of its change
	// set.
	Need          approval.Need
	needsOfOthers []approval.Need
	// unlisted is the missing allow-list that the agent of an open proposal refers to, or "". Unassigned indicates that
	// neither an agent nor the client of a guarded server would have the tool.
	unlisted   string
	Unassigned bool
	// ownAccount indicates, if four eyes are required, that the account that now decides also wrote the revision, under
	// any name.
	ownAccount bool
}

// Look collects the information for a decision about a proposal from its records and the registry.
func (d *Inspector) Look(ctx context.Context, r *Cache, b review.Bundle) (View, error) {
	v := View{Bundle: b}
	p := b.Proposal
	var err error
	if v.ChangeSet, err = r.changeSet(ctx, p.ChangeSet); err != nil {
		return v, err
	}
	if err := d.findNeeds(ctx, r.Reader, &v); err != nil {
		return v, err
	}
	if v.Assessment.ID == "" {
		return v, nil
	}
	v.Standing = review.ApplyWaivers(v.Assessment.Report.Findings, v.Waivers, p.Revision, d.records.Time())
	if !p.State.Open() {
		return v, nil // the decision contains the digest
	}
	if d.policy.FourEyes {
		if v.ownAccount, err = r.WroteHere(ctx, p.ID, p.Revision, v.Revision.Author); err != nil {
			return v, err
		}
	}
	if v.Endorsements, err = d.endorsements(ctx, r.Reader, v); err != nil {
		return v, err
	}
	then, err := r.After(ctx, v)
	if err != nil {
		return v, err
	}
	if v.Prompts, err = then.Prompts(ctx, p.Subject); err != nil {
		return v, err
	}
	v.Rendered = impact.Seals(v.Prompts)
	if v.unlisted, v.Unassigned, err = then.Ties(ctx, p.Subject, v.Revision.Draft.Definition); err != nil {
		return v, err
	}
	v.Digest = d.Digest(v)
	return v, nil
}

// Digest returns a hash over everything that deciders see: the proposal and its content, its base, the rules and the
// configuration, the findings and the waivers, its changes to all channel prompts, and the other members of its change
// set. A decision with this digest applies to exactly this content or fails. The digest does not cover the unchanged
// parts of prompts, because other proposals change and show them.
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
	keys := lists.Map(v.Standing, review.Standing.Seal)
	slices.Sort(keys)
	return history.Seal(append(fields, history.Seal(keys...), impact.Seal(v.Rendered), v.ChangeSet.Seal)...)
}

// SetDigest returns the seal over a change set: the review digests of the members that are decided together. It returns
// "" if a member has none.
func SetDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}
