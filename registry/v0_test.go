package registry_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

const v0Text = `{
  "prompts": [
    {
      "id": "scene_pacer",
      "name": "Scene <Pacer> & Co",
      "archetype": "Editor",
      "scope": "file",
      "usageNotes": "When a scene drags.\r\nOr rushes. ",
      "goals": "é and e\u0301, 🙂\u200d\"",
      "guardrails": "\tNever </rewrite>.",
      "prompt": "Line one\n\n  Line two\n",
      "createdAt": "2024-05-01T10:00:00.000Z",
      "updatedAt": "2024-05-02 after lunch"
    },
    {
      "prompt": "p",
      "archetype": "",
      "id": "kebab-id",
      "scope": "everything"
    }
  ]
}
`

func TestV0(t *testing.T) {
	f, err := registry.DecodeV0([]byte(v0Text))
	if err != nil {
		t.Fatal(err)
	}
	first := f.Prompts[0]
	if first.UsageNotes != "When a scene drags.\r\nOr rushes. " || first.Goals != "é and e\u0301, 🙂\u200d\"" || first.UpdatedAt != "2024-05-02 after lunch" {
		t.Errorf("read %+v", first)
	}
	want := strings.NewReplacer(`\u0301`, "\u0301", `\u200d`, "\u200d").Replace(v0Text)
	if got := string(f.Encode()); got != want {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}
	if ps := first.Tool().Problems(jsondoc.Root); ps != nil {
		t.Error(ps)
	}
	expectProblems(t, f.Prompts[1].Tool().Problems("prompts[1]"),
		"prompts[1].id: expected lower-case", "prompts[1].name: missing", "prompts[1].usageNotes: missing",
		"prompts[1].goals: missing", "prompts[1].guardrails: missing", `prompts[1].scope: got "everything"`)

	f.Prompts[1].Name = "Named now"
	if got := string(f.Encode()); !strings.Contains(got, "\"scope\": \"everything\",\n      \"name\": \"Named now\"\n") {
		t.Errorf("written %s", got)
	}
}

// TestV0KeepsUnknownKeys checks that unknown keys and null values are written back
// in place (C8).
func TestV0KeepsUnknownKeys(t *testing.T) {
	const text = `{
  "prompts": [
    {
      "id": "a",
      "custom": {
        "x": [
          1.50
        ]
      },
      "name": null,
      "goals": "g",
      "tags": "t"
    }
  ],
  "version": 1
}
`
	f, err := registry.DecodeV0([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(f.Encode()); got != text {
		t.Errorf("written\n%s", got)
	}
	if got := f.Prompts[0].UnknownKeys(); !slices.Equal(got, []string{"custom", "tags"}) {
		t.Errorf("unknown keys: %v", got)
	}
}

func TestV0FromTool(t *testing.T) {
	tool := promptTool()
	p, lost := registry.NewV0Prompt(tool, "then", "now")
	if lost != nil || !reflect.DeepEqual(p.Tool(), tool) || p.CreatedAt != "then" || p.UpdatedAt != "now" {
		t.Errorf("%+v, lost %v", p, lost)
	}
	again, err := registry.DecodeV0(registry.V0File{Prompts: []registry.V0Prompt{p}}.Encode())
	if err != nil || !reflect.DeepEqual(again.Prompts[0].Tool(), tool) {
		t.Errorf("%+v, %v", again, err)
	}
	tool.Aliases, tool.Status = []string{"pacer"}, registry.Deactivated
	if _, lost := registry.NewV0Prompt(tool, "", ""); !slices.Equal(lost, []string{"aliases", "status"}) {
		t.Errorf("lost %v", lost)
	}
	if _, lost := registry.NewV0Prompt(actionTool(), "", ""); !slices.Equal(lost, []string{"kind", "description", "inputSchema"}) {
		t.Errorf("lost %v", lost)
	}
	if got := string(registry.V0File{}.Encode()); got != "{\n  \"prompts\": []\n}\n" {
		t.Errorf("an empty file is %q", got)
	}
}

func TestDecodeV0Refuses(t *testing.T) {
	for text, want := range map[string][]string{
		`{}`:             {"prompts (line 1, column 1): missing; expected a list of prompts"},
		`[]`:             {"$ (line 1, column 1): expected an object, got a list"},
		`{"prompts":{}}`: {"prompts (line 1, column 12): expected a list, got an object"},
		`{"prompts":[{"id":"a","usage_notes":"","goals":null},{"id":"a","extra":1},7],"version":1}`: {
			"prompts[2] (line 1, column 75): expected an object, got a number",
			"prompts[1].id (line 1, column 60): duplicates prompts[0].id",
		},
		`{"prompts":[`: {"prompts[0] (line 1, column 13): the document is truncated"},
	} {
		_, err := registry.DecodeV0([]byte(text))
		var ps jsondoc.Problems
		if !errors.As(err, &ps) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, p := range ps {
			got = append(got, p.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n\t%s\nwant\n\t%s", text, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
	}
}

// FuzzV0 checks that Encode changes only white space and the spelling of JSON.
func FuzzV0(f *testing.F) {
	f.Add([]byte(v0Text))
	f.Add([]byte(`{"prompts":[{"updatedAt":"","id":"a"},{"id":"b","prompt":"\ud83d\ude00\u0001"}]}`))
	f.Add([]byte(`{"prompts":[{"id":"a"},{"id":"a"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := registry.DecodeV0(data)
		if err != nil {
			return
		}
		n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := file.Encode(), jsondoc.Indent(n); !bytes.Equal(got, want) {
			t.Fatalf("written\n%s\nread\n%s", got, want)
		}
	})
}
