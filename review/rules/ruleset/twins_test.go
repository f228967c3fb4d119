package ruleset

import (
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

// TestToolsOfOneServerMayShareText checks that open proposals for tools of the same server may share a text,
// but that a rejected one and one of another server are reported. (C22)
func TestToolsOfOneServerMayShareText(t *testing.T) {
	from := func(ref string) *registry.Tool {
		tool := *rulestest.Sample().Definition.Tool
		tool.Source = &registry.Source{Type: "mcp", Ref: ref}
		return &tool
	}
	copied := func(ref, own string) *registry.Tool {
		tool := from(ref)
		tool.Source.Hash = strings.Repeat("ab", 32)
		tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: ref[:4], Name: own}
		return tool
	}
	for name, c := range map[string]struct {
		twin   rules.Twin
		tool   *registry.Tool
		before bool
		want   rules.Severity
	}{
		"open, same server":      {rules.Twin{Tool: from("files#b")}, from("files#a"), false, ""},
		"rejected, same server":  {rules.Twin{Tool: from("files#b"), Rejected: true}, from("files#a"), false, rules.Warn},
		"open, other server":     {rules.Twin{Tool: from("mail#b")}, from("files#a"), false, rules.Warn},
		"as it was before":       {rules.Twin{Tool: from("mail#b")}, from("files#a"), true, rules.Info},
		"one program, two names": {rules.Twin{Tool: copied("mail#a", "a")}, copied("files#a", "a"), false, rules.Info},
		"rejected, one program":  {rules.Twin{Tool: copied("mail#a", "a"), Rejected: true}, copied("files#a", "a"), false, rules.Warn},
		"one text, another name": {rules.Twin{Tool: copied("mail#b", "b")}, copied("files#a", "a"), false, rules.Warn},
	} {
		d := rulestest.Sample()
		d.Definition.Tool = c.tool
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
