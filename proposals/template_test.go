package proposals

import (
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestTemplatesAreRefusedUntilTheyAreFilledIn(t *testing.T) {
	tool, agent := toolSubject("scene_pacer"), assistant().Subject
	for name, tc := range map[string]struct {
		draft Draft
		want  string // rules and paths
	}{
		"new tool": {Template(New, tool, nil, 0), "definition.usageNotes definition.goals definition.guardrails definition.prompt "},
		"new agent": {
			Template(New, agent, nil, 0),
			"definition.description definition.soul ",
		},
		"modify": {Template(Modify, tool, new(pacer().Definition), 2), ""},
		"retire": {Template(Deactivate, tool, new(pacer().Definition), 2), ""},
		"return": {Template(Reactivate, tool, new(pacer().Definition), 2), ""},
		"back":   {Template(Restore, tool, new(pacer().Definition), 2), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range tc.draft.Problems() {
				got = append(got, p.Path)
				if !strings.Contains(p.Message, "FILL IN") {
					t.Errorf("the skeleton has a problem: %s", p)
				}
			}
			want := tc.want + "rationale examples[0] examples[1] testCases[0].name testCases[0].input testCases[0].checks[0].value testCases[1].name testCases[1].input"
			if strings.Join(got, " ") != want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
			}
		})
	}
}

func TestTemplateTakesWhatIsLive(t *testing.T) {
	live := pacer().Definition
	subject := toolSubject("scene_pacer")
	if d := Template(Modify, subject, &live, 7); d.Definition.Hash() != live.Hash() || d.Base() != 7 {
		t.Errorf("got %s", d.JSON())
	}
	if d := Template(Deactivate, subject, &live, 7); !d.Definition.IsZero() {
		t.Errorf("got %s", d.JSON())
	}
	if d := Template(Restore, subject, &live, 7); d.RestoreVersion != 6 {
		t.Errorf("got version %d, want the one before", d.RestoreVersion)
	}
}

func TestTemplateNamesTheSubject(t *testing.T) {
	d := Template(New, registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer2"}, nil, 0)
	if d.Definition.Name() != "Scene Pacer2" || d.Definition.ID() != "scene_pacer2" {
		t.Errorf("got %s", d.JSON())
	}
}

// TestTemplatesOfFiles checks that skills and instructions need no examples and
// test cases, and that every line has a placeholder.
func TestTemplatesOfFiles(t *testing.T) {
	for kind, want := range map[registry.Kind]string{
		registry.KindSkill:        `definition.files["SKILL.md"].text rationale`,
		registry.KindInstructions: `definition.files["AGENTS.md"].text rationale`,
	} {
		d := Template(New, registry.Subject{Kind: kind, Layer: registry.LayerUser, ID: "report"}, nil, 0)
		var got []string
		for _, p := range d.Problems() {
			got = append(got, p.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
	if wanted, ok := placeholderIn("---\nname: report\ndescription: " + fillIn(askSkill) + "\n---\n\nDo it.\n"); !ok || wanted != askSkill {
		t.Error("a placeholder in front matter is not found")
	}
}

// TestPlaceholders checks that every placeholder is recognized, and nothing else.
func TestPlaceholders(t *testing.T) {
	for _, wanted := range placeholders {
		if got, ok := placeholderIn("text\n\t" + fillIn(wanted) + "\r\nmore"); !ok || got != wanted {
			t.Errorf("%q is not found", wanted)
		}
	}
	for _, text := range []string{"", "FILL IN the form", "FILL IN", "x FILL IN " + askGoals, "FILL IN " + askGoals + " and more"} {
		if _, ok := placeholderIn(text); ok {
			t.Errorf("%q counts as a placeholder", text)
		}
	}
}
