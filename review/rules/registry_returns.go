package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
)

func comesBack() Rule {
	return Rule{
		ID: "R218", Name: "comes-back", Severity: Warn, Waivable: true,
		Doc: "What was taken out of use is in use again, by way of another change: an older version is " +
			"restored, or a definition of the same id is put into a layer above the one that was deactivated.",
		Suggestion: "Propose to reactivate it, so that the decision is about that; or explain in the rationale why it was deactivated and what has changed.",
		Bad:        returning(proposals.Restore),
		Good:       returning(proposals.Reactivate),
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Type == proposals.Deactivate || c.Draft.Type == proposals.Reactivate || c.Draft.Definition.IsZero() {
				return nil, nil
			}
			before, err := c.replaced(ctx)
			if err != nil || before == nil || before.Definition.Status() == registry.Active || c.Draft.Definition.Status() == registry.Deactivated {
				return nil, err
			}
			f := moved("definition.status", "the status", string(registry.Deactivated), string(registry.Active))
			f.Message += over(before, c) + "."
			return []Finding{f}, nil
		},
	}
}

// returning is a change of a deactivated tool into an active one.
func returning(by proposals.Type) Example {
	e := change(func(t *registry.Tool) { t.Status = registry.Deactivated }, func(*registry.Tool) {})
	e.Draft.Type = by
	e.Show = fmt.Sprintf("a deactivated tool, active again by %s", by)
	return e
}

func categoryMoved() Rule {
	in := func(category string) func(*registry.Tool) {
		return func(t *registry.Tool) { t.Category = category }
	}
	r := bothWays(Rule{
		ID: "R216", Name: "category-moved", Severity: Warn, Waivable: true,
		Doc:        "A tool goes into a category that allow-lists take in. Agents get it that nobody meant to give it to: their lists name the category, not the tool.",
		Suggestion: "Look at the agents that get it, or keep the category.",
	}, `"category": "other" → "web"`, in("other"), `"category": "web" → "other"`, in("web"))
	r.Check = func(ctx context.Context, c *Change) ([]Finding, error) {
		after := judged(c)
		if after == nil {
			return nil, nil
		}
		before, err := c.replaced(ctx)
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
		f := moved("definition.category", "the category", cmp.Or(before.Definition.Tool.Category, "none"), after.Category)
		f.Message += fmt.Sprintf("%s, which these take in: %s.", over(before, c), strings.Join(takers, ", "))
		return []Finding{f}, nil
	}
	return r
}

// takersOf returns the allow-lists and the agents that take in the category to
// and not the category from.
func takersOf(ctx context.Context, c *Change, from, to string, agents []registry.Live) ([]string, error) {
	lists, err := c.lists(ctx)
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
		list, err := c.granted(ctx, l.Definition)
		if err != nil {
			return nil, err
		}
		if takes(list.Categories) {
			takers = append(takers, l.Subject.String())
		}
	}
	return takers, nil
}
