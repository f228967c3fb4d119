// This file compares a joint approval with the separate changes of its proposals.

package impact

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"toolcrib/internal/lists"
	"toolcrib/prompt"
	"toolcrib/registry"
)

// If several proposals are approved together, the result is compared with the changes that each
// proposal was shown to make alone. Together they may change a prompt in a way that no reviewer has
// seen: a new tool and a list that includes it, or two tools that compete for the last place within
// a limit.

// Part is the effect of a single proposal in a joint approval.
type Part struct {
	Subject registry.Subject
	Group   string   // the change set, whose members have the same changes, or the proposal
	Then    *Overlay // with the proposal and the rest of its change set
	Prompts []PromptChange
}

// channelKey identifies a prompt of an agent.
type channelKey struct {
	promptKey
	channel string
}

// promptDelta is the sum of several changes to a prompt.
type promptDelta struct {
	passages map[string]int // by hash: how often gained, less how often lost
	gone     bool
	cuts     []string
}

func (b *promptDelta) add(c prompt.Change) {
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
func (b *promptDelta) equals(c prompt.Change) bool {
	if b.gone || c.Gone {
		return b.gone && c.Gone
	}
	whole := &promptDelta{passages: map[string]int{}}
	whole.add(c)
	maps.DeleteFunc(b.passages, func(_ string, n int) bool { return n == 0 })
	return maps.Equal(b.passages, whole.passages) && !slices.ContainsFunc(b.cuts, func(cut string) bool { return cut != c.Cut })
}

// Interaction returns a prompt, as "agent:layer/id#channel", for which the joint change of all
// parts differs from the sum of their separate changes, and the indexes of the parts that affect
// this prompt. It returns "" if there is none.
func (m *Snapshot) Interaction(ctx context.Context, parts []Part) (which string, reach []int, err error) {
	changed, different := map[registry.Subject]registry.Live{}, map[string]bool{}
	for _, p := range parts {
		maps.Copy(changed, p.Then.changed)
		different[p.Then.seal()] = true
	}
	if len(different) < 2 {
		return "", nil, nil
	}
	type counted struct {
		group   string
		channel channelKey
	}
	known := map[counted]bool{}
	alone := map[channelKey]*promptDelta{} // changes by each part alone; a change set counts as one part
	for _, p := range parts {
		for _, c := range p.Prompts {
			key := channelKey{c.promptKey, c.Channel}
			if known[counted{p.Group, key}] {
				continue
			}
			known[counted{p.Group, key}] = true
			if alone[key] == nil {
				alone[key] = &promptDelta{passages: map[string]int{}}
			}
			alone[key].add(c.Change)
		}
	}
	then := m.With(changed)
	reached := map[promptKey][]int{}
	for i, p := range parts {
		affected, err := then.affected(ctx, p.Subject)
		if err != nil {
			return "", nil, err
		}
		for _, a := range affected {
			reached[a] = append(reached[a], i)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(reached), func(a, b promptKey) int {
		return cmp.Or(cmp.Compare(a.agent.String(), b.agent.String()), cmp.Compare(a.layer, b.layer))
	}) {
		compared, err := then.compare(ctx, a)
		if err != nil {
			return "", nil, err
		}
		whole := lists.Index(compared, func(c prompt.Change) (string, prompt.Change) { return c.Channel, c })
		for key := range alone {
			if _, ok := whole[key.channel]; key.promptKey == a && !ok {
				whole[key.channel] = prompt.Change{Channel: key.channel}
			}
		}
		for _, channel := range slices.Sorted(maps.Keys(whole)) {
			if !cmp.Or(alone[channelKey{a, channel}], &promptDelta{}).equals(whole[channel]) { // not the sum of the separate changes
				return a.agent.String() + "#" + channel, reached[a], nil
			}
		}
	}
	return "", nil, nil
}
