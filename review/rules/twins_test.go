package rules

import (
	"testing"

	"toolcrib/registry"
)

// TestTwinsOfOneServer: C22. Open tools of one server that share a text are a
// family; a rejected one is named, and so is one of another server.
func TestTwinsOfOneServer(t *testing.T) {
	from := func(ref string) *registry.Tool {
		tool := *sample().Definition.Tool
		tool.Source = &registry.Source{Type: "mcp", Ref: ref}
		return &tool
	}
	for name, c := range map[string]struct {
		twin   Twin
		before bool
		want   Severity
	}{
		"open, same server":     {Twin{Tool: from("files#b")}, false, ""},
		"rejected, same server": {Twin{Tool: from("files#b"), Rejected: true}, false, Warn},
		"open, other server":    {Twin{Tool: from("mail#b")}, false, Warn},
		"as it was before":      {Twin{Tool: from("mail#b")}, true, Info},
	} {
		d := sample()
		d.Definition.Tool = from("files#a")
		change := &Change{Draft: d, Twins: []Twin{c.twin}, World: Memory(nil)}
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
		var got Severity
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
