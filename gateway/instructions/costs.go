// This file computes how an approval changes the context of agents.

package instructions

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/prompt/tokens"
	"toolcrib/registry"
)

// LoadChange is a load before and after an approval; nil if there is none.
type LoadChange struct {
	Now, After *Load
	Same       bool // the file does not change
}

// Load returns the load after the approval or, if it is removed, before it.
func (c LoadChange) Load() Load {
	if c.After != nil {
		return *c.After
	}
	return *c.Now
}

// Size is the length of a text.
type Size struct {
	Chars int
	tokens.Counts
}

// Cost is the size of the texts that enter the context at one moment, before and
// after an approval.
type Cost struct {
	When       When
	Note       string // note of the only load
	Now, After Size
}

// CompareLoads returns the loads of a skill or of instructions before and after an
// approval. Definitions that are zero or of another kind have no loads.
func CompareLoads(before, after registry.Definition) []LoadChange {
	var changes []LoadChange
	now := loadsOf(before)
	for _, l := range loadsOf(after) {
		c := LoadChange{After: &l}
		i := slices.IndexFunc(now, func(n Load) bool { return n.When == l.When && n.File == l.File })
		if i >= 0 {
			c.Now = &now[i]
			c.Same = *c.Now == l || c.Now.Text == l.Text && c.Now.Note == l.Note && l.When != Printed && l.When != NotText
		}
		changes = append(changes, c)
	}
	for i, n := range now {
		if !slices.ContainsFunc(changes, func(c LoadChange) bool { return c.Now == &now[i] }) {
			changes = append(changes, LoadChange{Now: &n})
		}
	}
	slices.SortStableFunc(changes, func(a, b LoadChange) int {
		return cmp.Or(slices.Index(Moments(), a.Load().When)-slices.Index(Moments(), b.Load().When), strings.Compare(a.Load().File, b.Load().File))
	})
	return changes
}

func loadsOf(d registry.Definition) []Load {
	if d.Folder() == nil || d.Status() != registry.Active {
		return nil
	}
	return Loads(d.Kind(), *d.Folder())
}

// Costs returns the cost for each moment with loads.
func Costs(counter *tokens.Counter, changes []LoadChange) ([]Cost, error) {
	var texts []string
	for _, c := range changes {
		for _, l := range []*Load{c.Now, c.After} {
			if l != nil {
				texts = append(texts, l.Text)
			}
		}
	}
	counts, err := counter.CountAll(texts)
	if err != nil {
		return nil, err
	}
	var costs []Cost
	for _, c := range changes {
		if l := c.Load(); len(costs) == 0 || costs[len(costs)-1].When != l.When {
			costs = append(costs, Cost{When: l.When, Note: l.Note})
		} else {
			costs[len(costs)-1].Note = ""
		}
		cost := &costs[len(costs)-1]
		for i, l := range []*Load{c.Now, c.After} {
			if l != nil {
				[]*Size{&cost.Now, &cost.After}[i].add(l.Text, counts[0])
				counts = counts[1:]
			}
		}
	}
	return costs, nil
}

func (s *Size) add(text string, n tokens.Counts) {
	s.Chars += utf8.RuneCountInString(text)
	s.O200k += n.O200k
	s.Cl100k += n.Cl100k
}
