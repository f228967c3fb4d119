package jsondoc_test

import (
	"strings"
	"testing"

	"toolcrib/registry/jsondoc"
)

func TestJoin(t *testing.T) {
	for _, tt := range []struct{ path, key, want string }{
		{"$", "a", "a"},
		{"", "a", "a"},
		{"a", "b_C-1", "a.b_C-1"},
		{"a[0]", "b", "a[0].b"},
		{"a", "$schema", "a.$schema"},
		{"$", "$", `["$"]`},
		{"a", "", `a[""]`},
		{"a", "b.c", `a["b.c"]`},
		{"$", "a b", `["a b"]`},
		{"a", "é\u202e\x1b\"\\", `a["\u00e9\u202e\x1b\"\\"]`},
	} {
		if got := jsondoc.Join(tt.path, tt.key); got != tt.want {
			t.Errorf("Join(%q, %q) = %s, want %s", tt.path, tt.key, got, tt.want)
		}
	}
	if got := jsondoc.Index("$", 3); got != "[3]" {
		t.Errorf("Index($, 3) = %s", got)
	}
	if got := jsondoc.Index("a", 3); got != "a[3]" {
		t.Errorf("Index(a, 3) = %s", got)
	}
}

func TestFind(t *testing.T) {
	n, err := jsondoc.Parse([]byte(`{"a":{"b":[10,{"c":20}],"":30,"x.y":40,"[0]":50},"$":60}`), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"a.b[0]": "10", "a.b[1].c": "20", `a[""]`: "30", `a["x.y"]`: "40", `a["[0]"]`: "50", `["$"]`: "60",
		`["a"]["b"][0]`: "10",
		// Invalid paths, and paths without a value.
		"a.b[2]": "", "a.b[-1]": "", "a.b[x]": "", "a.b[0": "", "a.b[0]x": "", "a.b.c": "", "a[0]": "", "b": "",
		".a": "", "a.": "", "a..b": "", "a.x.y": "", `a["x.y"`: "", `a["x.y`: "", `a["\q"]`: "", "$.a": "",
	} {
		found := n.Find(path)
		if got := found.Get("none"); got != nil {
			t.Errorf("%s should not have a value", path)
		}
		switch {
		case want == "" && found != nil:
			t.Errorf("%s leads to %+v", path, found)
		case want != "" && (found == nil || found.Text != want):
			t.Errorf("%s leads to %+v, want %s", path, found, want)
		}
	}
	if n.Find("$") != n || n.Find("") != n {
		t.Error("the root was not found")
	}
	var none *jsondoc.Node
	if none.Find("a") != nil {
		t.Error("found a value in nil")
	}
}

func TestWalk(t *testing.T) {
	n, err := jsondoc.Parse([]byte(`{"a":[1,{"b.c":[]}],"d":null}`), jsondoc.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if n.Find(path()) != v {
			t.Errorf("%s does not lead to its value", path())
		}
		got = append(got, path())
		return true
	})
	expectLines(t, got, "$", "a", "a[0]", "a[1]", `a[1]["b.c"]`, "d")

	got = nil
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		got = append(got, path())
		return v.Kind != jsondoc.Number
	})
	expectLines(t, got, "$", "a", "a[0]")
}

func TestMembers(t *testing.T) {
	n := jsondoc.NewObject()
	n.Set("a", jsondoc.NewNumber("1"))
	n.Set("b", jsondoc.NewBool(true))
	n.Set("a", jsondoc.NewArray(jsondoc.NewString("x"), jsondoc.NewBool(false)))
	if got := string(jsondoc.Canonical(n)); got != `{"a":["x",false],"b":true}` {
		t.Errorf("after Set: %s", got)
	}
	if v := n.Remove("b"); v == nil || v.Text != "true" || n.Get("b") != nil || n.Remove("b") != nil {
		t.Errorf("after Remove: %s", jsondoc.Canonical(n))
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                 `""`,
		"plain 'x'":        `"plain 'x'"`,
		"\x1b[2Jé\u202e\"": `"\x1b[2J\u00e9\u202e\""`,
		"\xff":             `"\xff"`,
		repeat("é", 64):    `"` + repeat(`\u00e9`, 64) + `"`,
		repeat("é", 65):    `"` + repeat(`\u00e9`, 64) + `"...`,
	} {
		if got := jsondoc.Quote(s); got != want {
			t.Errorf("Quote(%q) = %s, want %s", s, got, want)
		}
	}
	if got, want := jsondoc.Printable("a\u3164`\n"+repeat("x", 300)), `a\u3164`+"`"+`\n`+repeat("x", 196)+"..."; got != want {
		t.Errorf("Printable = %s, want %s", got, want)
	}
}
