package mdfile

import (
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

func TestParseYAML(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"list":         {"- a\n- b: 1\n", `["a",{"b":1}]`},
		"object":       {"a: [true, null]", `{"a":[true,null]}`},
		"scalar":       {"plain words", `"plain words"`},
		"nothing":      {"", ""},
		"only comment": {"# nothing here", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, ps := ParseYAML(tc.text, 1)
			if len(ps) > 0 {
				t.Fatal(ps)
			}
			got := ""
			if n != nil {
				got = string(jsondoc.Canonical(n))
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestParseYAMLPlacesAndRefusals(t *testing.T) {
	n, ps := ParseYAML("- a\n- b: 1\n", 40)
	if len(ps) > 0 || n.Items[1].Get("b").Pos != (jsondoc.Pos{Line: 41, Column: 6}) {
		t.Errorf("got %v, %v", n, ps)
	}
	for name, tc := range map[string]struct {
		text, want string
		line       int
	}{
		"tag":      {"- !!int a", "tags", 40},
		"two":      {"a\n---\nb", "more than one", 40},
		"broken":   {"a: [1,\n", "not valid YAML", 40},
		"too long": {strings.Repeat("a", MaxFront+1), "bytes", 40},
		"twice":    {"a: 1\na: 2", "duplicate key", 41},
	} {
		t.Run(name, func(t *testing.T) {
			n, ps := ParseYAML(tc.text, 40)
			if n != nil || len(ps) != 1 || !strings.Contains(ps[0].Message, tc.want) {
				t.Fatalf("got %v, %v, want one problem with %q", n, ps, tc.want)
			}
			if ps[0].Pos.Line < tc.line || ps[0].Pos.Line > tc.line+1 {
				t.Errorf("got line %d, want %d", ps[0].Pos.Line, tc.line)
			}
		})
	}
}

func TestFormatYAMLQuotesOnlyWhatNeedsIt(t *testing.T) {
	for text, want := range map[string]string{
		"tool:user/scene_pacer": "tool:user/scene_pacer\n",
		"std::string":           "std::string\n",
		"calm: and exact":       "\"calm: and exact\"\n",
		"calm:":                 "\"calm:\"\n",
		"a #b":                  "\"a #b\"\n",
		"yes":                   "\"yes\"\n",
	} {
		got, err := FormatYAML(jsondoc.NewString(text))
		if err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v, want %s", text, got, err, want)
		}
		if n, ps := ParseYAML(string(got), 1); len(ps) > 0 || n.Kind != jsondoc.String || n.Text != text {
			t.Errorf("%q was read as %v, %v", text, n, ps)
		}
	}
}
