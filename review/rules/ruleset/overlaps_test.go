package ruleset

import (
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
	"toolcrib/review/rules/overlaps"
	"toolcrib/review/rules/rulestest"
)

// likenesses runs the rules about similarity on a change and returns their findings by rule and
// severity.
func likenesses(t *testing.T, d proposals.Draft, before *registry.Live, world ...registry.Live) map[string]rules.Severity {
	t.Helper()
	set, err := NewSet(nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := set.CheckFamilies(t.Context(), &rules.Change{Draft: d, Before: before, World: rules.Memory(world)}, "O")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]rules.Severity{}
	for _, f := range found {
		if f.Severity.Rank() > got[f.Rule].Rank() {
			got[f.Rule] = f.Severity
		}
	}
	return got
}

func forked(t *testing.T, id string) proposals.Draft {
	t.Helper()
	d := rulestest.Sample()
	for _, core := range shipped.Core() {
		if core.Tool.ID == "canon_checker" {
			tool := *core.Tool
			tool.ID, tool.Name = id, "Canon Checker ("+id+")"
			d.Subject.ID, d.Definition.Tool = id, &tool
			return d
		}
	}
	t.Fatal("no canon_checker")
	return d
}

func liveTool(d proposals.Draft) registry.Live {
	return registry.Live{Subject: d.Subject, Version: 1, Definition: d.Definition}
}

// TestForksAreOnlyHints checks that a fork, which is expected to be a near-duplicate, is
// distinguished from a copy under another name.
func TestForksAreOnlyHints(t *testing.T) {
	for id, want := range map[string]rules.Severity{
		"canon_checker_custom": rules.Info, "canon_checker_custom_12": rules.Info, "canon_checker_customised": rules.Warn,
		"canon_checker_custom_x": rules.Warn, "my_canon_checker_custom": rules.Warn, "lore_checker": rules.Warn, "lore_checker_custom": rules.Warn,
	} {
		if got := likenesses(t, forked(t, id), nil)[overlaps.LikeCore]; got != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	other := liveTool(forked(t, "canon_checker_custom"))
	if got := likenesses(t, forked(t, "canon_checker_custom_2"), nil, other)["O102"]; got != rules.Info {
		t.Errorf("two forks of one tool: %q", got)
	}
	if got := likenesses(t, forked(t, "lore_checker"), nil, other)["O102"]; got != rules.Warn {
		t.Errorf("a copy of a fork: %q", got)
	}
}

// TestOldLikenessIsAHint checks that a similarity that reviewers have already seen is only a hint.
func TestOldLikenessIsAHint(t *testing.T) {
	before := liveTool(forked(t, "lore_checker"))
	after := forked(t, "lore_checker")
	after.Type = proposals.Modify
	after.Definition.Tool.Prompt += "\n\nAnd say which lines."
	other := liveTool(forked(t, "world_checker"))
	got := likenesses(t, after, &before, other)
	if got[overlaps.LikeCore] != rules.Info || got["O102"] != rules.Info {
		t.Errorf("it was as like before: %v", got)
	}
	fresh := liveTool(rulestest.Sample())
	if got := likenesses(t, after, &fresh, other); got[overlaps.LikeCore] != rules.Warn || got["O102"] != rules.Warn {
		t.Errorf("it becomes like another: %v", got)
	}
}

// TestToolsOfOneServer checks that tools of the same server may be similar.
func TestToolsOfOneServer(t *testing.T) {
	from := func(id, ref string) proposals.Draft {
		d := rulestest.Renamed(id)
		d.Definition.Tool.Source = &registry.Source{Type: "mcp", Ref: ref}
		return d
	}
	one := from("pace_one", "desk#pace_one")
	if got := likenesses(t, from("pace_two", "desk#pace_two"), nil, liveTool(one))["O102"]; got != "" {
		t.Errorf("the very same text: %q", got)
	}
	one.Definition.Tool.Prompt += "\n\nSay it in the tone of the house, and name the chapter that the scene stands in."
	other := liveTool(one)
	for ref, want := range map[string]rules.Severity{"desk#pace_two": "", "crane#pace_two": rules.Warn, "pace_two": rules.Warn, "#pace_two": rules.Warn} {
		if got := likenesses(t, from("pace_two", ref), nil, other)["O102"]; got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
}
