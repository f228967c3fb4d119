package trust

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/rules"
)

func comesBack() rules.Rule {
	return rules.Rule{
		ID: "R218",
		Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
			if c.Draft.Type == proposals.Deactivate || c.Draft.Type == proposals.Reactivate || c.Draft.Definition.IsZero() {
				return nil, nil
			}
			before, err := replaced(ctx, c)
			if err != nil || before == nil || before.Definition.Status() == registry.Active || c.Draft.Definition.Status() == registry.Deactivated {
				return nil, err
			}
			f := moved("definition.status", "The status", string(registry.Deactivated), string(registry.Active))
			f.Message += over(before, c) + "."
			return []rules.Finding{f}, nil
		},
	}
}

func categoryMoved() rules.Rule {
	return rules.Rule{ID: "R216", Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
		after := c.Judged()
		if after == nil {
			return nil, nil
		}
		before, err := replaced(ctx, c)
		if err != nil || before == nil || before.Definition.Tool == nil || before.Definition.Tool.Category == after.Category {
			return nil, err
		}
		agents, err := c.World.Agents(ctx)
		if err != nil {
			return nil, err
		}
		takers, err := takersOf(ctx, c, before.Definition.Tool.Category, after.Category, agents)
		if err != nil || len(takers) == 0 {
			return nil, err
		}
		f := moved("definition.category", "The category", cmp.Or(before.Definition.Tool.Category, "none"), after.Category)
		f.Message += fmt.Sprintf("%s, which these take in: %s.", over(before, c), strings.Join(takers, ", "))
		return []rules.Finding{f}, nil
	}}
}

// takersOf returns the allow-lists and the agents that take in the category to
// and not the category from.
func takersOf(ctx context.Context, c *rules.Change, from, to string, agents []registry.Live) ([]string, error) {
	lists, err := c.Lists(ctx)
	if err != nil {
		return nil, err
	}
	var takers []string
	takes := func(categories []string) bool {
		return slices.Contains(categories, to) && !slices.Contains(categories, from)
	}
	for _, e := range lists {
		if takes(e.Definition.List.Categories) {
			takers = append(takers, "allow-list "+e.Subject.ID)
		}
	}
	for _, l := range agents {
		list, err := granted(ctx, c, l.Definition)
		if err != nil {
			return nil, err
		}
		if takes(list.Categories) {
			takers = append(takers, l.Subject.String())
		}
	}
	return takers, nil
}
