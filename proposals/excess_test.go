package proposals

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
)

// TestExcess checks that fields that are too long are reported with their path, and
// that missing fields are not.
func TestExcess(t *testing.T) {
	shortrun.OneGoroutine(t)
	tool := func(change func(*registry.Tool)) registry.Definition {
		tool := registry.Tool{ID: "scene_pacer", Name: "Scene Pacer"}
		change(&tool)
		return registry.Definition{Tool: &tool}
	}
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, test := range map[string]struct {
		draft Draft
		want  []string
	}{
		"nothing":                {Draft{}, nil},
		"half a tool":            {Draft{Definition: tool(func(*registry.Tool) {})}, nil},
		"a name of 80":           {Draft{Definition: tool(func(t *registry.Tool) { t.Name = long(80) })}, nil},
		"a name of 81":           {Draft{Definition: tool(func(t *registry.Tool) { t.Name = long(81) })}, []string{"definition.name"}},
		"a name with NUL":        {Draft{Definition: tool(func(t *registry.Tool) { t.Name = "a\x00b" })}, []string{"definition.name"}},
		"a long agent's name":    {Draft{Definition: registry.Definition{Agent: &registry.Agent{Name: long(81)}}}, []string{"definition.name"}},
		"a change set of 65":     {Draft{ChangeSet: strings.Repeat("x", 65)}, []string{"changeSet"}},
		"a change set of lines":  {Draft{ChangeSet: "a\nb"}, []string{"changeSet"}},
		"a long rationale":       {Draft{Rationale: long(MaxRationale + 1)}, []string{"rationale"}},
		"many examples":          {Draft{Examples: slices.Repeat([]string{"x"}, 10_000)}, []string{"examples"}},
		"a long example":         {Draft{Examples: []string{"x", long(MaxExample + 1)}}, []string{"examples[1]"}},
		"many test cases":        {Draft{TestCases: make([]TestCase, 10_000)}, []string{"testCases"}},
		"a prompt of a megabyte": {Draft{Definition: tool(func(t *registry.Tool) { t.Prompt = strings.Repeat("x", 1<<20) })}, nil},
		"a prompt beyond all":    {Draft{Definition: tool(func(t *registry.Tool) { t.Prompt = strings.Repeat("x", MaxDraft) })}, []string{"$"}},
		"two things": {
			Draft{ChangeSet: "?", Rationale: long(MaxRationale + 1), Definition: tool(func(t *registry.Tool) { t.Name = long(1000) })},
			[]string{"definition.name", "changeSet", "rationale"},
		},
	} {
		var got []string
		for _, p := range test.draft.Excess() {
			got = append(got, p.Path)
			if p.Message == "" || p.Rule == "" {
				t.Errorf("%s: %+v has no message", name, p)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
}
