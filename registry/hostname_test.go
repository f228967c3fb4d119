package registry_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/registry"
)

func TestNameProblems(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	tests := []struct {
		name, server string
		want         []string // hosts
	}{
		{"get_tides", "", nil},
		{"get-Tides-2", "harbour", nil},
		{"get.tides", "", []string{"OpenAI", "Anthropic"}},
		{"get tides", "", []string{"MCP", "OpenAI", "Anthropic"}},
		{"get_tidés", "", []string{"MCP", "OpenAI", "Anthropic"}},
		{"get_tides\u200b", "", []string{"MCP", "OpenAI", "Anthropic"}},
		{"", "", []string{"MCP", "OpenAI", "Anthropic"}},
		{a(64), "", nil},
		{a(65), "", []string{"OpenAI"}},
		{a(128), "", []string{"OpenAI"}},
		{a(129), "", []string{"MCP", "OpenAI", "Anthropic"}},
		{a(50), "harbour", nil},
		{a(51), "harbour", []string{"OpenAI"}},
		{"get_tides", "the harbour", []string{"OpenAI"}},
	}
	for _, tt := range tests {
		var got []string
		for _, p := range registry.NameProblems(tt.name, tt.server) {
			got = append(got, p.Host)
			if p.Message == "" || strings.ContainsFunc(p.Message, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%q: message %q", tt.name, p.Message)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q on %q: %v, want %v", tt.name, tt.server, got, tt.want)
		}
	}
	ps := registry.NameProblems(a(51), "harbour")
	if want := "mcp__harbour__" + a(51); len(ps) != 1 || ps[0].Name != want || !strings.Contains(ps[0].Message, "must not exceed 64 characters") {
		t.Errorf("got %+v", ps)
	}
}
