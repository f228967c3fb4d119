package proposals

import (
	"path/filepath"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/registry"
)

// goldens are the drafts in testdata, each in both formats.
func goldens() map[string]Draft {
	tool, agent := pacer(), assistant()
	live := *tool.Definition.Tool
	return map[string]Draft{
		"new_tool":     tool,
		"modify_agent": agent,
		"hard_texts":   hardTexts(),
		"restore":      restore(),
		"skeleton_new": Template(New, registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer"}, nil, 0),
		"skeleton_modify": Template(Modify, registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "scene_pacer"},
			&registry.Definition{Tool: &live}, 3),
		"skeleton_agent": Template(New, registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: "night_reader"}, nil, 0),
	}
}

func TestGoldenFiles(t *testing.T) {
	for name, d := range goldens() {
		t.Run(name, func(t *testing.T) {
			md, err := d.Markdown()
			if err != nil {
				t.Fatal(err)
			}
			for file, data := range map[string][]byte{name + ".json": d.JSON(), name + ".md": md} {
				path := filepath.Join("testdata", file)
				generated.Check(t, path, data)
				parsed, err := DecodeFile(path, data)
				if err != nil {
					t.Fatal(err)
				}
				if len(parsed) != 1 || !same(parsed[0].Draft, d) {
					t.Errorf("%s was decoded as\n%s", file, parsed[0].Draft.JSON())
				}
			}
		})
	}
}
