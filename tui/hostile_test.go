package tui_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui"
	"toolcrib/visible"
)

// hostile is a proposal with text in every field that takes free text.
func hostile(text string) proposals.Draft {
	text = storable(text)
	base := 0
	output := text
	return proposals.Draft{
		Type: proposals.New, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "hostile"}, BaseVersion: &base,
		Definition: registry.Definition{Tool: &registry.Tool{
			ID: "hostile", Kind: registry.PromptTool, Name: limit(text, 70) + "x", Archetype: limit(text, 40), Scope: registry.ScopeFile,
			UsageNotes: limit(text, 3900) + "x", Goals: limit(text, 3900) + "x", Guardrails: limit(text, 3900) + "x", Prompt: limit(text, 30_000) + "x",
			Description: limit(text, 3900), Guidance: map[string]string{"web": text},
			Approval: &registry.Approval{Tier: registry.AutoApprove},
		}},
		Rationale: limit(text, 7900) + "x", Examples: []string{limit(text, 3900) + "a", limit(text, 3900) + "b"},
		TestCases: []proposals.TestCase{
			{Name: limit(text, 70) + "p", Input: text + "x", Expect: proposals.ExpectPass, Output: &output, Checks: []proposals.Check{{Type: proposals.CheckContains, Value: []byte(`"x"`)}}},
			{Name: limit(text, 70) + "f", Input: text + "x", Expect: proposals.ExpectFail, Output: &output, Checks: []proposals.Check{{Type: proposals.CheckEvidence}}},
		},
	}
}

// storable is text as a definition can hold it: no decoder lets a NUL or what
// is no UTF-8 in.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\x01"), "\x01")
}

// limit cuts text to n characters.
func limit(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// checkSafe fails when anything but text that a person can see, line feeds and
// the styles of the theme is on the screen.
func checkSafe(t *testing.T, content string) {
	t.Helper()
	plain := ansi.Strip(content)
	for i, r := range plain {
		if r == utf8.RuneError && !strings.HasPrefix(plain[i:], "\uFFFD") || r != '\n' && visible.Hidden(r) {
			t.Fatalf("%U is on the screen: %q", r, plain[max(0, i-20):min(len(plain), i+20)])
		}
	}
	for rest := content; ; {
		_, after, found := strings.Cut(rest, "\x1b")
		if !found {
			break
		}
		end := strings.IndexFunc(after, func(r rune) bool { return !strings.ContainsRune("[0123456789;:", r) })
		if end < 0 || after[end] != 'm' || after[0] != '[' {
			t.Fatalf("an escape that is no style: %q", after[:min(len(after), 20)])
		}
		rest = after[end:]
	}
}

// tour looks at every screen.
var tour = []string{
	"enter", "2", "w", "l", "l", "w", "s", "b", "space", "G", "3", "J", "J", "enter", "3", "W", "esc", "?", "esc", "4", "v", "r", "G", "v", "r", "5", "J", "6", "J", "enter", "esc",
	"1", "space", "G", "a", "esc", "x", "esc", "C", "esc", "/", "x", "enter", "n", "E", "esc", "esc", "/", "y", "esc", "?", "esc",
	"L", "A", "T", "enter", "tab", "J", "enter", "tab", "]", "Q",
}

// newFake opens a workbench on a desk that says text everywhere.
func newFake(t *testing.T, text string, width, height int) *bench {
	t.Helper()
	f := fake{text: text}
	b := &bench{t: t}
	b.m = tui.New(tui.Config{
		Desk: f, Registry: f, Actor: mara, Layer: registry.LayerUser, Place: text, Theme: "dark",
		Getenv: func(string) string { return "" }, Drafts: t.TempDir(), Now: b.now, After: b.after,
	})
	b.m.Prime(width, height)
	b.drain(b.m.Init())
	return b
}

// look shows a text in every field on every screen.
func look(t *testing.T, text string, width, height int) {
	t.Helper()
	b := newFake(t, text, width, height)
	check := func() {
		content := b.m.View().Content
		checkWidth(t, content, width, height)
		checkSafe(t, content)
	}
	check()
	for _, k := range tour {
		b.press(k)
		check()
	}
	b.press("T", "Q", "enter", "C")
	b.send(tea.PasteMsg{Content: text}) // into the editor of a dialog
	check()
	b.press("esc", "/")
	b.send(tea.PasteMsg{Content: text}) // into the line at the bottom
	check()
	b.press("enter")
	check()
}

var hostileTexts = []string{
	"plain",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\x1b[H \x9b31m \r overwritten \b\b\b \x07 \x00 \x7f",
	"a\u202eb\u202c \u2066c\u2069 \u200bd\u200de\ufeff \u2028 \u2029 \U000E0041\U000E0042",
	"漢字かな交じり文 한국어 👩\u200d👩\u200d👧\u200d👦 👍🏽 🇩🇪🇫🇷 e\u0301o\u0308 ｆｕｌｌ ﷽ \t tab\tstop",
	strings.Repeat("e\u0301\u0302\u0303", 60) + strings.Repeat("\u0300", 300),
	strings.Repeat("long ", 1000),
	strings.Repeat("x", 5000),
	strings.Repeat("漢", 2500),
	strings.Repeat("line\n", 500),
	"ᄀ" + strings.Repeat("ᅡ", 50) + strings.Repeat("각", 40) + " \u0915\u094d\u0937\u094d\u0930 " + strings.Repeat("\U0001F1E9", 41),
	"&#27;[31m &ZeroWidthSpace; <b>x</b> [link](javascript:x) ![x](http://x)",
}

func TestHostileText(t *testing.T) {
	for i, text := range hostileTexts {
		for _, size := range [][2]int{{60, 15}, {121, 40}} {
			t.Run(string(rune('a'+i)), func(t *testing.T) { look(t, text, size[0], size[1]) })
		}
	}
}

func FuzzHostileText(f *testing.F) {
	for _, text := range hostileTexts[:5] {
		f.Add(text, byte(0), byte(0))
	}
	f.Fuzz(func(t *testing.T, text string, width, height byte) {
		look(t, limit(text, 1500), 60+int(width)%160, 15+int(height)%40)
	})
}
