package review

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
)

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
