package trust

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// replaced returns what the draft takes the place of: the live version of its
// subject, or else the definition of the same id in an earlier layer that it
// would hide. It is nil when there is neither, and for a draft that only takes
// something out of use.
func replaced(ctx context.Context, c *rules.Change) (*registry.Live, error) {
	if c.Before != nil || c.Draft.Type == proposals.Deactivate {
		return c.Before, nil
	}
	s := c.Draft.Subject
	find := c.World.Agents
	switch s.Kind {
	case registry.KindAgent:
	case registry.KindList:
		find = c.World.Lists
	case registry.KindTool:
		find = func(ctx context.Context) ([]registry.Live, error) { return c.World.ByName(ctx, s.ID) }
	}
	lives, err := find(ctx)
	if err != nil {
		return nil, err
	}
	var hidden *registry.Live
	for i, l := range lives {
		if l.Subject.ID != s.ID || l.Subject.Layer == s.Layer || !slices.Contains(s.Layer.View(), l.Subject.Layer) {
			continue
		}
		if hidden == nil || l.Subject.Layer.Rank() > hidden.Subject.Layer.Rank() {
			hidden = &lives[i]
		}
	}
	return hidden, nil
}

// over names the definition that a finding compares with, if it is not the
// subject.
func over(before *registry.Live, c *rules.Change) string {
	if before.Subject == c.Draft.Subject {
		return ""
	}
	return fmt.Sprintf(" (from %s, which this hides)", before.Subject)
}

// loosened makes a rule that compares a tool with the one that it replaces. check
// returns findings whose messages are clauses.
func loosened(id string, check func(before, after *registry.Tool) []rules.Finding) rules.Rule {
	return rules.Rule{ID: id, Check: func(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
		after := c.Judged()
		if after == nil {
			return nil, nil
		}
		before, err := replaced(ctx, c)
		if err != nil || before == nil || before.Definition.Tool == nil {
			return nil, err
		}
		found := check(before.Definition.Tool, after)
		for i := range found {
			found[i].Message += over(before, c) + "."
		}
		return found, nil
	}}
}

func looseningRules() []rules.Rule {
	return []rules.Rule{
		loosened("R201", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("readOnly", hints(before).ReadOnly, hints(after).ReadOnly, is(hints(before).ReadOnly) && !is(hints(after).ReadOnly))
		}),
		loosened("R202", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, !is(hints(before).Destructive) && is(hints(after).Destructive))
		}),
		loosened("R203", func(before, after *registry.Tool) []rules.Finding {
			return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, is(hints(before).Destructive) && !is(hints(after).Destructive))
		}),
		loosened("R204", func(before, after *registry.Tool) []rules.Finding {
			was, will := hints(before).RequiresConfirmation, hints(after).RequiresConfirmation
			return hintMoved("requiresConfirmation", was, will, is(was) && !is(will))
		}),
		loosened("R205", func(before, after *registry.Tool) []rules.Finding {
			was, will := hints(before).OpenWorld, hints(after).OpenWorld
			return hintMoved("openWorld", was, will, isNot(was) && !isNot(will))
		}),
	}
}

func hintMoved(key string, from, to *bool, loosened bool) []rules.Finding {
	if !loosened {
		return nil
	}
	return []rules.Finding{moved("definition.annotations."+key, key, said(from), said(to))}
}

// moved is the finding that a value went from one to the other. The values may
// be anybody's words.
func moved(path, what, from, to string) rules.Finding {
	return rules.Finding{Path: path, Passage: to, Message: fmt.Sprintf("%s goes from %s to %s", what, jsondoc.Printable(from), jsondoc.Printable(to))}
}
