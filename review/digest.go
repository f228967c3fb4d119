package review

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review/approval"
	"toolcrib/review/rules/trust"
)

// digest seals everything that a decider is shown: the proposal and its content,
// its base, the rules and the configuration, the findings and the waivers, what it
// does to every channel prompt that it changes, and the other members of its change
// set. A decision with this digest applies to exactly that or fails. It does not cover
// the rest of those prompts: others change that, and show it when they do.
func (d *Desk) digest(v view) string {
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
	return history.Seal(append(fields, history.Seal(keys...), promptSeal(v.Rendered), v.changeSet.seal)...)
}

// seal is over all of a finding that a decider is shown.
func (s Standing) seal() string {
	waived := ""
	if s.Waiver != nil {
		waived = s.Waiver.ID
	}
	return history.Seal(key(s.Finding), string(s.Severity), s.Message, waived)
}

// view has everything that a decision about one proposal rests on.
type view struct {
	Bundle
	Standing     []Standing
	changeSet    changeSetInfo // of its change set, itself included; zero when it stands alone
	prompts      []promptChange
	Rendered     map[string]string // seals of prompts
	Digest       string            // "" while there is no assessment
	endorsements []endorsement     // that count
	// need is whose approvals it needs, needsOfOthers those of the other members of
	// its change set.
	need          approval.Need
	needsOfOthers []approval.Need
	// unlisted is the allow-list that the agent of an open proposal names and that
	// would not exist, "" for none; unassigned reports that neither an agent nor the
	// client of a guarded server would have the tool.
	unlisted   string
	unassigned bool
	// ownAccount reports, under four_eyes, that the revision was written from the
	// account that acts now, under whatever name.
	ownAccount bool
}

// look collects everything that a decision about a proposal depends on, from its
// records and the registry.
func (d *Desk) look(ctx context.Context, r *reviewCache, b Bundle) (view, error) {
	v := view{Bundle: b}
	p := b.Proposal
	var err error
	if v.changeSet, err = r.changeSet(ctx, p.ChangeSet); err != nil {
		return v, err
	}
	if err := d.findNeeds(ctx, r, &v); err != nil {
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
	if v.endorsements, err = d.endorsements(ctx, r, v); err != nil {
		return v, err
	}
	if v.prompts, err = d.prompts(ctx, r, v); err != nil {
		return v, err
	}
	v.Rendered = sealed(v.prompts)
	if err := r.reach(ctx, &v); err != nil {
		return v, err
	}
	v.Digest = d.digest(v)
	return v, nil
}

// reach finds out what the approval of v would leave without a tie: an agent
// whose allow-list would not be there, or a tool that no agent would have.
func (g *reviewCache) reach(ctx context.Context, v *view) error {
	d := v.Revision.Draft.Definition
	if d.IsZero() || d.Status() != registry.Active || d.List != nil {
		return nil
	}
	then, err := g.after(ctx, *v)
	if err != nil {
		return err
	}
	if d.Agent != nil {
		_, err := registry.Allowed(ctx, *d.Agent, registry.Layered{Finder: then, View: v.Proposal.Subject.Layer.View()})
		if errors.Is(err, registry.ErrUnknownList) {
			v.unlisted, err = d.Agent.AllowList.Name, nil
		}
		return err
	}
	agents, err := then.Agents(ctx)
	if err != nil {
		return err
	}
	lists, err := then.Lists(ctx)
	if err != nil {
		return err
	}
	v.unassigned = d.Tool.Server() == "" && !trust.Assigned(*d.Tool, v.Proposal.Subject.Layer, then.agents(agents), lists)
	return nil
}
