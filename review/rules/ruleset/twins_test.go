package ruleset

import (
	"testing"

	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestTwinsOfOneServer: C22. Open tools of one server that share a text are a
// family; a rejected one is named, and so is one of another server.
func TestTwinsOfOneServer(t *testing.T) {
	from := func(ref string) *registry.Tool {
		tool := *rulestest.Sample().Definition.Tool
		tool.Source = &registry.Source{Type: "mcp", Ref: ref}
		return &tool
	}
	for name, c := range map[string]struct {
		twin   rules.Twin
		before bool
		want   rules.Severity
	}{
		"open, same server":     {rules.Twin{Tool: from("files#b")}, false, ""},
		"rejected, same server": {rules.Twin{Tool: from("files#b"), Rejected: true}, false, rules.Warn},
		"open, other server":    {rules.Twin{Tool: from("mail#b")}, false, rules.Warn},
		"as it was before":      {rules.Twin{Tool: from("mail#b")}, true, rules.Info},
	} {
		d := rulestest.Sample()
		d.Definition.Tool = from("files#a")
		change := &rules.Change{Draft: d, Twins: []rules.Twin{c.twin}, World: rules.Memory(nil)}
		if c.before {
			live := liveTool(d)
			change.Before = &live
		}
		set, err := NewSet(nil)
		if err != nil {
			t.Fatal(err)
		}
		found, err := set.CheckFamilies(t.Context(), change, "O")
		if err != nil {
			t.Fatal(err)
		}
		var got rules.Severity
		for _, f := range found {
			if f.Rule == "O105" {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
