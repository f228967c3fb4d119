package rules

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// replaced returns what the draft takes the place of: the live version of its
// subject, or else the definition of the same id in an earlier layer that it
// would hide. It is nil when there is neither, and for a draft that only takes
// something out of use.
func (c *Change) replaced(ctx context.Context) (*registry.Live, error) {
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

// over says what a finding compares with, when it is not the subject itself.
func over(before *registry.Live, c *Change) string {
	if before.Subject == c.Draft.Subject {
		return ""
	}
	return fmt.Sprintf(" (from %s, which this hides)", before.Subject)
}

// loosened makes a rule that compares a tool with what it takes the place of.
// check returns findings whose messages are clauses.
func loosened(r Rule, check func(before, after *registry.Tool) []Finding) Rule {
	r.Check = func(ctx context.Context, c *Change) ([]Finding, error) {
		after := judged(c)
		if after == nil {
			return nil, nil
		}
		before, err := c.replaced(ctx)
		if err != nil || before == nil || before.Definition.Tool == nil {
			return nil, err
		}
		found := check(before.Definition.Tool, after)
		for i := range found {
			found[i].Message += over(before, c) + "."
		}
		return found, nil
	}
	return r
}

// change is an edit of a live tool of our own: an example of a loosening when
// it goes one way, and of none when it goes the other.
func change(from, to func(*registry.Tool)) Example {
	before, after := action("set_invoices"), action("set_invoices")
	from(before.Definition.Tool)
	to(after.Definition.Tool)
	one := 1
	after.Type, after.BaseVersion = proposals.Modify, &one
	return Example{Draft: after, Live: []registry.Live{{Subject: before.Subject, Version: 1, Definition: before.Definition}}}
}

// bothWays fills in the examples of r: from a to b is bad, back is good.
func bothWays(r Rule, bad string, a func(*registry.Tool), good string, b func(*registry.Tool)) Rule {
	r.Bad, r.Good = change(a, b), change(b, a)
	r.Bad.Show, r.Good.Show = bad, good
	return r
}

func looseningRules() []Rule {
	hint := func(a registry.Annotations) func(*registry.Tool) {
		return func(t *registry.Tool) { t.Annotations = &a }
	}
	return []Rule{
		loosened(bothWays(Rule{
			ID: "R201", Name: "read-only-dropped", Severity: Warn, Waivable: true,
			Doc:        "A tool that only read may now write. Hosts and agents that let it run because it could do no harm go on doing so.",
			Suggestion: "Make a second tool for what writes, or say in the rationale why this one has to.",
		}, `"readOnly": true → false`, hint(registry.Annotations{ReadOnly: yes()}), `"readOnly": false → true`, hint(registry.Annotations{ReadOnly: no()})),
			func(before, after *registry.Tool) []Finding {
				return hintMoved("readOnly", hints(before).ReadOnly, hints(after).ReadOnly, is(hints(before).ReadOnly) && !is(hints(after).ReadOnly))
			}),
		loosened(bothWays(Rule{
			ID: "R202", Name: "becomes-destructive", Severity: Warn, Waivable: true,
			Doc:        "A tool that did not destroy may now do so. Approval tiers and prompts were chosen for what it was.",
			Suggestion: "Look at its approval tier again, and at every prompt that tells an agent to use it.",
		}, `"destructive": false → true`, hint(registry.Annotations{Destructive: no()}), `"destructive": true → false`, hint(registry.Annotations{Destructive: yes()})),
			func(before, after *registry.Tool) []Finding {
				return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, !is(hints(before).Destructive) && is(hints(after).Destructive))
			}),
		loosened(bothWays(Rule{
			ID: "R203", Name: "destructive-dropped", Severity: Warn, Waivable: true,
			Doc:        "A tool no longer says that it destroys. Where the gate is late or a host asks only before what destroys, it now runs.",
			Suggestion: "Keep the annotation unless the tool has really become harmless.",
		}, `"destructive": true → false`, hint(registry.Annotations{Destructive: yes()}), `"destructive": false → true`, hint(registry.Annotations{Destructive: no()})),
			func(before, after *registry.Tool) []Finding {
				return hintMoved("destructive", hints(before).Destructive, hints(after).Destructive, is(hints(before).Destructive) && !is(hints(after).Destructive))
			}),
		loosened(bothWays(Rule{
			ID: "R204", Name: "confirmation-dropped", Severity: Warn, Waivable: true,
			Doc:        "A call of this tool had to be confirmed and no longer has to be.",
			Suggestion: "Keep the confirmation, or say in the rationale what makes it needless.",
		}, `"requiresConfirmation": true → absent`, hint(registry.Annotations{RequiresConfirmation: yes()}), `"requiresConfirmation": absent → true`, hint(registry.Annotations{})),
			func(before, after *registry.Tool) []Finding {
				was, will := hints(before).RequiresConfirmation, hints(after).RequiresConfirmation
				return hintMoved("requiresConfirmation", was, will, is(was) && !is(will))
			}),
		loosened(bothWays(Rule{
			ID: "R205", Name: "opens-world", Severity: Warn, Waivable: true,
			Doc:        "A tool that stayed within known systems may now reach anything outside: what it returns can be anybody's words, and what it is given can go anywhere.",
			Suggestion: "Say in the rationale where it reaches, and look at what it is given.",
		}, `"openWorld": false → true`, hint(registry.Annotations{OpenWorld: no()}), `"openWorld": true → false`, hint(registry.Annotations{OpenWorld: yes()})),
			func(before, after *registry.Tool) []Finding {
				was, will := hints(before).OpenWorld, hints(after).OpenWorld
				return hintMoved("openWorld", was, will, isNot(was) && !isNot(will))
			}),
	}
}

func hintMoved(key string, from, to *bool, loosened bool) []Finding {
	if !loosened {
		return nil
	}
	return []Finding{moved("definition.annotations."+key, key, said(from), said(to))}
}

// moved is the finding that a value went from one to the other. The values may
// be anybody's words.
func moved(path, what, from, to string) Finding {
	return Finding{Path: path, Passage: to, Message: fmt.Sprintf("%s goes from %s to %s", what, jsondoc.Printable(from), jsondoc.Printable(to))}
}
