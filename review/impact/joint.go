// This file compares the effect of a joint approval with the effects of separate approvals.

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

// Reviewers see the changes that each proposal makes alone. If several proposals are approved together, they may change
// a prompt in a way that no reviewer has seen. For example, one proposal adds a tool and another adds an allow-list
// that includes the tool, or two new tools compete for the last place within a limit.

// Part is a proposal in a joint approval, with its effect on prompts.
type Part struct {
	Subject registry.Subject
	Group   string   // the change set, or the id of a proposal without a change set; parts of the same group have the same effect
	Then    *Overlay // registry after an approval of the proposal and the rest of its change set
	Prompts []PromptChange
}

// channelKey identifies the prompt of an agent for a channel.
type channelKey struct {
	promptKey
	channel string
}

// promptDelta is the sum of several changes to a prompt.
type promptDelta struct {
	passages map[string]int // maps the hash of a passage to the number of its additions minus the number of its removals
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

// equals reports whether the sum of the changes is c.
func (b *promptDelta) equals(c prompt.Change) bool {
	if b.gone || c.Gone {
		return b.gone && c.Gone
	}
	whole := &promptDelta{passages: map[string]int{}}
	whole.add(c)
	maps.DeleteFunc(b.passages, func(_ string, n int) bool { return n == 0 })
	return maps.Equal(b.passages, whole.passages) && !slices.ContainsFunc(b.cuts, func(cut string) bool { return cut != c.Cut })
}

// Interaction looks for a prompt with a joint change of all parts that differs from the sum of the separate changes. It
// returns the first such prompt as "agent:layer/id#channel", and the indexes of the parts that affect this prompt. It
// returns "" if there is no such prompt.
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
	alone := map[channelKey]*promptDelta{} // sum of the changes by each part alone; the members of a change set are one part
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
