package registry_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestParseSubject(t *testing.T) {
	long := strings.Repeat("a", 64)
	for text, want := range map[string]registry.Subject{
		"tool:user/scene_pacer":         {Kind: registry.KindTool, Layer: user, ID: "scene_pacer"},
		"agent:global/assistant":        {Kind: registry.KindAgent, Layer: global, ID: "assistant"},
		"tool:project/novel/a1_2b":      {Kind: registry.KindTool, Layer: novel, ID: "a1_2b"},
		"tool:project/A.b-c_9/x":        {Kind: registry.KindTool, Layer: "project/A.b-c_9", ID: "x"},
		"tool:project/" + long + "/x":   {Kind: registry.KindTool, Layer: registry.Layer("project/" + long), ID: "x"},
		"tool:global/" + long:           {Kind: registry.KindTool, Layer: global, ID: long},
		"":                              {},
		"scene_pacer":                   {},
		"tool:scene_pacer":              {},
		"tool:user/":                    {},
		"tool:/scene_pacer":             {},
		"prompt:user/x":                 {},
		":user/x":                       {},
		"tool:User/x":                   {},
		"tool:project/x":                {},
		"tool:project//x":               {},
		"tool:project/../x":             {},
		"tool:project/.git/x":           {},
		"tool:project/a/b/x":            {},
		"tool:project/a b/x":            {},
		"tool:project/" + long + "a/x":  {},
		"tool:user/Scene":               {},
		"tool:user/_x":                  {},
		"tool:user/x_":                  {},
		"tool:user/x__y":                {},
		"tool:user/1x":                  {},
		"tool:user/x-y":                 {},
		"tool:user/x ":                  {},
		"tool:user/x\n":                 {},
		"tool:user/ѕсеnе":               {},
		"tool:user/" + long + "a":       {},
		" tool:user/x":                  {},
		"tool:tool:user/x":              {},
		"tool:global\x00/x":             {},
		"tool:project/novel\u202e/evil": {},
	} {
		got, err := registry.ParseSubject(text)
		if got != want || (err == nil) != (want != registry.Subject{}) {
			t.Errorf("ParseSubject(%q) = %+v, %v; want %+v", text, got, err, want)
		}
		if err != nil {
			if !errors.Is(err, registry.ErrSubject) {
				t.Errorf("%q: the error does not wrap ErrSubject: %v", text, err)
			}
			for _, r := range err.Error() {
				if r < ' ' || r > '~' {
					t.Errorf("%q: the error contains %U", text, r)
				}
			}
			continue
		}
		if got.String() != text {
			t.Errorf("%q is written %q", text, got)
		}
	}
}

func FuzzParseSubject(f *testing.F) {
	for _, s := range []string{"tool:user/scene_pacer", "agent:project/novel/a", "tool:global/x__y", "tool:project/a/b/c", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := registry.ParseSubject(text)
		if err != nil {
			for _, r := range err.Error() {
				if r < ' ' || r > '~' {
					t.Fatalf("the error contains %U: %q", r, err)
				}
			}
			return
		}
		if s.String() != text {
			t.Fatalf("%q is written %q", text, s)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again registry.Subject
		if err := json.Unmarshal(b, &again); err != nil || again != s {
			t.Fatalf("%s is %v in JSON, %v", s, again, err)
		}
		if l, err := registry.ParseLayer(string(s.Layer)); err != nil || l != s.Layer || !registry.ValidID(s.ID) {
			t.Fatalf("%s consists of %q and %q", s, s.Layer, s.ID)
		}
	})
}

func TestLayer(t *testing.T) {
	for _, tt := range []struct {
		layer   registry.Layer
		project string
		rank    int
		view    []registry.Layer
	}{
		{global, "", 0, []registry.Layer{global}},
		{user, "", 1, []registry.Layer{global, user}},
		{novel, "novel", 2, []registry.Layer{global, user, novel}},
	} {
		if got := tt.layer.Project(); got != tt.project {
			t.Errorf("%s: project %q", tt.layer, got)
		}
		if got := tt.layer.Rank(); got != tt.rank {
			t.Errorf("%s: rank %d", tt.layer, got)
		}
		if got := tt.layer.View(); !slices.Equal(got, tt.view) {
			t.Errorf("%s: view %v", tt.layer, got)
		}
	}
	if registry.ProjectLayer("novel") != novel {
		t.Error("a layer of a project was not parsed")
	}
	for _, s := range []string{"", "Global", "project", "project/", "project/a/b", "project/-a", "user/", "user\n"} {
		if l, err := registry.ParseLayer(s); err == nil || l != "" {
			t.Errorf("ParseLayer(%q) = %q", s, l)
		}
	}
}
