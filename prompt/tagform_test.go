package prompt

import (
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestTagForm(t *testing.T) {
	groups := func(names ...string) []string { return names }
	for _, c := range []struct {
		pattern string
		groups  []string
		want    string
	}{
		{"", nil, "MOVE: <argument>"},
		{"", groups("text"), "MOVE: <text>"},
		{"(.+)", nil, "MOVE: <argument>"},
		{"^(.+)$", groups("text"), "MOVE: <text>"},
		{`(?P<what>.+)`, nil, "MOVE: <what>"},
		{`(\S+)\s+to\s+(.+)`, groups("task", "list"), "MOVE: <task> to <list>"},
		{`(.+?)\s*\|\s*(.+)`, groups("task", "list"), "MOVE: <task> | <list>"},
		{`(\d+)(?:\s+(high|low))?`, groups("task", "priority"), "MOVE: <task> [ <priority>]"},
		{`(?i)now`, nil, "MOVE: now"},
		{`((a)(b))`, groups("all", "first", "second"), "MOVE: <all>"},
		{`(?:(a)|(b))`, groups("x", "y"), "MOVE: <x> <y>"},
		{`[a-z]+(.+)`, groups("x"), "MOVE: <x>"},
		{`[\t-~](.+)`, groups("x"), "MOVE: <x>"},
		{`(.+`, groups("x", "y"), "MOVE: <x> <y>"},
		{`(a){3}`, nil, "MOVE: <argument>"},
		{`$^`, nil, "MOVE:"},
	} {
		tag := registry.Tag{Prefix: "MOVE", ArgPattern: c.pattern, ArgGroups: c.groups}
		if got := tagForm(tag); got != c.want {
			t.Errorf("%q: got %q, want %q", c.pattern, got, c.want)
		}
	}
	if got := tagForm(registry.Tag{Prefix: "A\nB: x"}); strings.Contains(got, "\n") {
		t.Errorf("the form has several lines: %q", got)
	}
}

func FuzzTagForm(f *testing.F) {
	for _, p := range []string{"", "(.+)", `(\S+)\s+to\s+(.+)`, `(\d+)(?:\s+(x))?`, "((((", `\pL`, "[^a]", "(?s).*"} {
		f.Add(p, "a b")
	}
	f.Fuzz(func(t *testing.T, pattern, names string) {
		form := tagForm(registry.Tag{Prefix: "P", ArgPattern: pattern, ArgGroups: strings.Fields(names)})
		if !strings.HasPrefix(form, "P:") {
			t.Errorf("%q: got %q", pattern, form)
		}
	})
}
