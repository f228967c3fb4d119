package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/prompt"
	"toolcrib/proposals"
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
	if d.IsZero() || d.Status() != registry.Active || d.Agent == nil && d.Tool == nil {
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

// A call that approves several proposals is compared with what each was shown to do
// alone. Together they may do something else to a prompt, such as a new tool and a
// list that takes it in, or two tools of which a limit leaves room for one: nobody was
// shown that.

// joint is the approval of several proposals in one call.
type joint struct {
	views []view    // that make versions
	then  *catalogs // with all of them
	known bool      // actor was shown one of them
	// alone has the changes that they make by themselves, a change set as one.
	alone map[channelKey]*balance
}

// channelKey identifies one prompt of an agent.
type channelKey struct {
	promptKey
	channel string
}

// balance adds up changes of one prompt.
type balance struct {
	passages map[string]int // by hash: how often gained, less how often lost
	gone     bool
	cuts     []string
}

func (b *balance) add(c prompt.Change) {
	for _, p := range c.Passages {
		if p.Added {
			b.passages[p.Hash]++
		} else {
			b.passages[p.Hash]--
		}
	}
	b.gone = b.gone || c.Gone
	b.cuts = append(b.cuts, c.Cut)
}

// equals reports whether the changes add up to c.
func (b *balance) equals(c prompt.Change) bool {
	if b.gone || c.Gone {
		return b.gone && c.Gone
	}
	whole := &balance{passages: map[string]int{}}
	whole.add(c)
	maps.DeleteFunc(b.passages, func(_ string, n int) bool { return n == 0 })
	return maps.Equal(b.passages, whole.passages) && !slices.ContainsFunc(b.cuts, func(cut string) bool { return cut != c.Cut })
}

// addUp refuses an approval of which actor was shown parts, if together the proposals
// do something to a prompt that they do not do one by one.
func (d *Desk) addUp(ctx context.Context, r *reviewCache, actor proposals.Actor, views []view, showings []Showing) error {
	j := joint{alone: map[channelKey]*balance{}}
	changed, parts := map[registry.Subject]registry.Live{}, map[string]bool{}
	for i, complete := range d.complete(actor, views) {
		v := views[i]
		if !complete {
			continue
		}
		part, err := r.after(ctx, v)
		if err != nil {
			return err
		}
		maps.Copy(changed, part.changed)
		parts[part.seal()] = true
		j.views, j.known = append(j.views, v), j.known || showings[i] != ShowingNone
	}
	if len(parts) < 2 || !j.known {
		return nil
	}
	j.then = r.live.now.with(changed)
	j.sum()
	return j.compare(ctx)
}

// sum fills in what the proposals do by themselves. Members of a change set have the
// same changes.
func (j joint) sum() {
	type part struct {
		of      string
		channel channelKey
	}
	counted := map[part]bool{}
	for _, v := range j.views {
		of := "set:" + v.Proposal.ChangeSet
		if v.Proposal.ChangeSet == "" {
			of = string(v.Proposal.ID)
		}
		for _, c := range v.prompts {
			key := channelKey{c.promptKey, c.Channel}
			if counted[part{of, key}] {
				continue
			}
			counted[part{of, key}] = true
			if j.alone[key] == nil {
				j.alone[key] = &balance{passages: map[string]int{}}
			}
			j.alone[key].add(c.Change)
		}
	}
}

// compare refuses the approval if it changes a prompt otherwise than its parts do.
func (j joint) compare(ctx context.Context) error {
	reached := map[promptKey][]view{}
	for _, v := range j.views {
		affected, err := j.then.affected(ctx, v.Proposal.Subject)
		if err != nil {
			return err
		}
		for _, a := range affected {
			reached[a] = append(reached[a], v)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(reached), func(a, b promptKey) int {
		return cmp.Or(cmp.Compare(a.agent.String(), b.agent.String()), cmp.Compare(a.layer, b.layer))
	}) {
		compared, err := j.then.compare(ctx, a)
		if err != nil {
			return err
		}
		if channel, differs := j.differs(a, compared); differs {
			return notTogether(reached[a], a.agent.String()+"#"+channel)
		}
	}
	return nil
}

// differs returns a channel that changes otherwise than by the parts.
func (j joint) differs(a promptKey, compared []prompt.Change) (channel string, differs bool) {
	whole := map[string]prompt.Change{}
	for _, c := range compared {
		whole[c.Channel] = c
	}
	for key := range j.alone {
		if _, ok := whole[key.channel]; key.promptKey == a && !ok {
			whole[key.channel] = prompt.Change{Channel: key.channel}
		}
	}
	for _, channel := range slices.Sorted(maps.Keys(whole)) {
		alone := j.alone[channelKey{a, channel}]
		if alone == nil {
			alone = &balance{}
		}
		if !alone.equals(whole[channel]) {
			return channel, true
		}
	}
	return "", false
}

// notTogether is the refusal of an approval of which some proposals change a prompt
// otherwise than each of them alone.
func notTogether(views []view, which string) error {
	names := make([]string, 0, len(views))
	for _, v := range views {
		names = append(names, name(v.Proposal))
	}
	if len(names) > mostSteps {
		names = append(names[:mostSteps], fmt.Sprintf("%d more", len(names)-mostSteps))
	}
	return fmt.Errorf("%w: together, %s change the prompt %s in another way than each alone, which you were not shown; approve them one after the other and look at each again when it is refused",
		ErrDigest, strings.Join(names, ", "), which)
}
