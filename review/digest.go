package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review/impact"
)

// digest seals everything that a decider is shown: the proposal and its content,
// its base, the rules and the configuration, the findings and the waivers, what it
// does to every channel prompt that it changes, and the other members of its change
// set. A decision with this digest applies to exactly that or fails. It does not cover
// the rest of those prompts: others change that, and show it when they do.
func (d *reading) digest(v view) string {
	fields := []string{
		"toolcrib review 3",
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
	return history.Seal(append(fields, history.Seal(keys...), impact.Seal(v.Rendered), v.changeSet.seal)...)
}

// seal is over all of a finding that a decider is shown.
func (s Standing) seal() string {
	waived := ""
	if s.Waiver != nil {
		waived = s.Waiver.ID
	}
	return history.Seal(key(s.Finding), string(s.Severity), s.Message, waived)
}

// look collects everything that a decision about a proposal depends on, from its
// records and the registry.
func (d *reading) look(ctx context.Context, r *reviewCache, b Bundle) (view, error) {
	v := view{Bundle: b}
	p := b.Proposal
	var err error
	if v.changeSet, err = r.changeSet(ctx, p.ChangeSet); err != nil {
		return v, err
	}
	if err := d.findNeeds(ctx, r.Reader, &v); err != nil {
		return v, err
	}
	if v.Assessment.ID == "" {
		return v, nil
	}
	v.Standing = stand(v.Assessment.Report.Findings, v.Waivers, p.Revision, d.stamp())
	if !p.State.Open() {
		return v, nil // the decision has the digest
	}
	if d.policy.FourEyes {
		if v.ownAccount, err = r.WroteHere(ctx, p.ID, p.Revision, v.Revision.Author); err != nil {
			return v, err
		}
	}
	if v.endorsements, err = d.endorsements(ctx, r.Reader, v); err != nil {
		return v, err
	}
	then, err := r.after(ctx, v)
	if err != nil {
		return v, err
	}
	if v.prompts, err = then.Prompts(ctx, p.Subject); err != nil {
		return v, err
	}
	v.Rendered = impact.Seals(v.prompts)
	if v.unlisted, v.unassigned, err = then.Ties(ctx, p.Subject, v.Revision.Draft.Definition); err != nil {
		return v, err
	}
	v.Digest = d.digest(v)
	return v, nil
}

// addUp refuses an approval of which actor was shown parts, if together the proposals
// do something to a prompt that they do not do one by one.
func (d *deciding) addUp(ctx context.Context, r *reviewCache, actor proposals.Actor, views []view, showings []proposals.Showing) error {
	var parts []impact.Part
	var of []view
	known := false
	for i, complete := range d.complete(actor, views) {
		v := views[i]
		if !complete {
			continue
		}
		then, err := r.after(ctx, v)
		if err != nil {
			return err
		}
		group := "set:" + v.Proposal.ChangeSet
		if v.Proposal.ChangeSet == "" {
			group = string(v.Proposal.ID)
		}
		parts, of = append(parts, impact.Part{Subject: v.Proposal.Subject, Group: group, Then: then, Prompts: v.prompts}), append(of, v)
		known = known || showings[i] != proposals.ShowingNone
	}
	if !known {
		return nil
	}
	which, reached, err := r.live.AddUp(ctx, parts)
	if err != nil || which == "" {
		return err
	}
	names := make([]string, 0, len(reached))
	for _, i := range reached {
		names = append(names, of[i].Proposal.Name())
	}
	if len(names) > mostSteps {
		names = append(names[:mostSteps], fmt.Sprintf("%d more", len(names)-mostSteps))
	}
	return fmt.Errorf("%w: together, %s change the prompt %s in another way than each alone, which you were not shown; approve them one after the other and look at each again when it is refused",
		ErrDigest, strings.Join(names, ", "), which)
}

// setDigest seals a change set as a whole: the review digests of those members
// that are decided together. It is "" while one of them has none.
func setDigest(changeSet string, members []string) string {
	if len(members) == 0 || slices.Contains(members, "") {
		return ""
	}
	return history.Seal(append([]string{"toolcrib change set review 1", changeSet}, slices.Sorted(slices.Values(members))...)...)
}

// setDigests returns the digests of the change sets of views, by name.
func setDigests(views []view) map[string]string {
	members := map[string][]string{}
	for _, v := range views {
		if set := v.Proposal.ChangeSet; set != "" {
			members[set] = append(members[set], v.Digest)
		}
	}
	digests := map[string]string{}
	for set, of := range members {
		digests[set] = setDigest(set, of)
	}
	return digests
}
