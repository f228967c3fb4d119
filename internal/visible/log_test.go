package visible_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/visible"
)

// executed returns the first line of text that a runner would execute as a command of
// any name. It follows both parsers of actions/runner (ActionCommand.TryParseV2 and
// TryParse) and those of Azure Pipelines and TeamCity.
func executed(text string) string {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r", "\n"), "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), "::"); ok && strings.Contains(rest, "::") {
			return line
		}
		for _, prefix := range []string{"##[", "##vso[", "##teamcity["} {
			if _, rest, ok := strings.Cut(strings.ToLower(line), prefix); ok && strings.Contains(rest, "]") {
				return line
			}
		}
	}
	return ""
}

func TestLogBreaksCommands(t *testing.T) {
	tests := []struct{ in, want string }{
		{"::error file=a::b\n", ":⟨U+003A⟩error file=a::b\n"},
		{"a\n \t\u00a0\u3000::stop-commands::x", "a\n \t\u00a0\u3000:⟨U+003A⟩stop-commands::x"},
		{"a\r::debug::x", "a\r:⟨U+003A⟩debug::x"},
		{"x ##[error]old", "x ##⟨U+005B⟩error]old"},
		{"x ###[group]a ##[endgroup]", "x ###⟨U+005B⟩group]a ##⟨U+005B⟩endgroup]"},
		{"##vso[task.complete]", "##vso⟨U+005B⟩task.complete]"},
		{"##VSO[task.complete]", "##VSO⟨U+005B⟩task.complete]"},
		{"##teamcity[message]", "##teamcity⟨U+005B⟩message]"},
		{"#\u20dd#[error]", "#\u20dd#⟨U+005B⟩error]"},
		{":\u0301:error::", ":\u0301⟨U+003A⟩error::"},
		{"std::vector ::x", "std::vector ::x"},
		{":a ::", ":a ::"},
		{"## [a](b) # [b] ##a1[2]", "## [a](b) # [b] ##a1[2]"},
		{"## heading\n[a]", "## heading\n[a]"},
		{"##\n[a]:\n:", "##\n[a]:\n:"},
		{"::⟨U+003A⟩", ":⟨U+003A⟩⟨U+003A⟩"},
	}
	for _, tt := range tests {
		for step := 1; step <= len(tt.in); step++ {
			var got bytes.Buffer
			w := visible.NewLog(&got)
			for rest := []byte(tt.in); len(rest) > 0; rest = rest[min(step, len(rest)):] {
				if _, err := w.Write(rest[:min(step, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			if got.String() != tt.want {
				t.Fatalf("%q in steps of %d: %q, want %q", tt.in, step, got.String(), tt.want)
			}
		}
	}
}

func FuzzLog(f *testing.F) {
	for _, s := range []string{"", "::a::b", "x##[a]\r::b::", "\u3000::\xff::##vso[a]"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, at int) {
		at = min(max(at, 0), len(s))
		var got bytes.Buffer
		w := visible.NewLog(&got)
		_, _ = w.Write([]byte(s[:at]))
		_, _ = w.Write([]byte(s[at:]))
		if line := executed(got.String()); line != "" {
			t.Errorf("%q is printed as %q: a runner obeys %q", s, got.String(), line)
		}
		if utf8.ValidString(s) && strings.NewReplacer("⟨U+003A⟩", ":", "⟨U+005B⟩", "[").Replace(got.String()) != strings.NewReplacer("⟨U+003A⟩", ":", "⟨U+005B⟩", "[").Replace(s) {
			t.Errorf("%q became %q", s, got.String())
		}
	})
}

func TestJSONEscapesCommands(t *testing.T) {
	for _, s := range []string{"##[error]x", "\n::error::y", "a##vso[task.complete]", "#\u20dd#[debug]"} {
		plain, err := json.MarshalIndent(map[string]any{s: []string{s}}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		shown := visible.JSON(plain)
		var before, after map[string][]string
		if json.Unmarshal(plain, &before) != nil || json.Unmarshal(shown, &after) != nil || len(after[s]) != 1 || after[s][0] != s {
			t.Errorf("%q became %q", plain, shown)
		}
		var printed bytes.Buffer
		if _, err := visible.NewLog(&printed).Write(shown); err != nil || printed.String() != string(shown) || executed(printed.String()) != "" {
			t.Errorf("%q would be obeyed, or changed again: %q", shown, printed.String())
		}
	}
}
