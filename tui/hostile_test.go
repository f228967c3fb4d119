package tui_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/internal/shortrun"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui"
	"toolcrib/tui/theme"
)

// hostile returns a proposal with text in every free-text field.
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

// storable returns text in a form that a definition can contain. Decoders refuse NUL and invalid UTF-8.
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

// ownStyles returns the sequences of the themes, which are the only escape sequences permitted on a screen.
func ownStyles() map[string]bool {
	own := map[string]bool{theme.Reset: true, "\x1b[7m": true}
	for _, th := range []theme.Theme{theme.Dark(), theme.Light(), theme.HighContrast(), theme.Sixteen(true), theme.Sixteen(false), theme.Plain()} {
		fields := reflect.ValueOf(th)
		for i := range fields.NumField() {
			if style, ok := fields.Field(i).Interface().(theme.Style); ok {
				own[string(style)] = true
			}
		}
	}
	return own
}

// checkSafe checks every byte and every cell of a screen. It fails on anything but visible text, line feeds, and
// styles of the themes.
func checkSafe(t *testing.T, content string, own map[string]bool, width, height int) {
	t.Helper()
	for i := 0; i < len(content); {
		if content[i] == '\x1b' {
			end := strings.IndexByte(content[i:], 'm')
			if end < 0 || !own[content[i:i+end+1]] {
				t.Fatalf("an escape that no theme has: %q", content[i:min(len(content), i+20)])
			}
			i += end + 1
			continue
		}
		r, size := utf8.DecodeRuneInString(content[i:])
		if r == utf8.RuneError && size == 1 || r != '\n' && visible.Hidden(r) {
			t.Fatalf("%U is on the screen: %q", r, content[max(0, i-20):min(len(content), i+20)])
		}
		i += size
	}
	screen := uv.NewScreenBuffer(width, height)
	screen.Method = ansi.GraphemeWidth
	uv.NewStyledString(content).Draw(screen, screen.Bounds())
	for y := range height {
		for x := range width {
			if cell := screen.CellAt(x, y); cell != nil && (cell.Link != uv.Link{} || len(cell.Content) > 64 || !visible.Clean(cell.Content)) {
				t.Fatalf("the cell in column %d of line %d has %q", x, y, cell.Content)
			}
		}
	}
}

// tours visit every screen. Each begins and ends at the queue.
var tours = [][]string{
	{"enter", "2", "w", "l", "l", "w", "s", "b", "space", "G", "3", "J", "J", "enter", "3", "W", "esc", "?", "esc", "5", "J", "6", "J", "7", "J", "s", "6", "enter", "esc", "Q"},
	{"enter", "4", "p", "r", "G", "p", "r", "1", "space", "G", "a", "esc", "x", "esc", "C", "esc", "Q"},
	{
		"enter", "2", "/", "x", "enter", "n", "E", "esc", "esc", "/", "y", "esc", "?", "esc",
		"L", "A", "T", "enter", "tab", "J", "enter", "tab", "]", "tab", "Q",
	},
	{"D", "esc", "A", "A", "enter", "tab", "esc", "Q", ":", "down", "down", "esc", "space", "a", "esc", "+", "x", "esc", "*", "o", "shift+tab", "Q"},
}

// newFake opens a workbench on a desk that returns text everywhere.
func newFake(t *testing.T, text string, width, height int) *workbench {
	t.Helper()
	return newFakeOf(t, fake{text: text}, width, height)
}

func newFakeOf(t *testing.T, f fake, width, height int) *workbench {
	t.Helper()
	b := &workbench{t: t}
	b.m = tui.New(tui.Config{
		Desk: tui.Desk{Reader: f, Impact: f, Decider: f, Proposer: f, Assessor: f}, Registry: f, Actor: mara, Layer: registry.LayerUser, Place: f.text, Theme: "dark",
		Getenv: func(string) string { return "" }, Drafts: t.TempDir(), Now: b.now, After: b.after,
	})
	b.m.Prime(width, height)
	b.drain(b.m.Init())
	return b
}

// checkHostile shows a text in every field and checks the screen after every key, while the size of the terminal changes.
func checkHostile(t *testing.T, text string, width, height int, keys ...string) {
	t.Helper()
	b, own := newFake(t, text, width, height), ownStyles()
	check := func() {
		t.Helper()
		content := b.m.View().Content
		checkWidth(t, content, width, height)
		checkSafe(t, content, own, width, height)
	}
	check()
	b.press("enter", "C")
	b.send(tea.PasteMsg{Content: text}) // into the text field of a dialog
	check()
	b.press("esc", "/")
	b.send(tea.PasteMsg{Content: text}) // into the input line
	check()
	b.press("enter")
	check()
	b.press("Q")
	for i, k := range keys {
		if i%9 == 8 {
			width, height = 60+(width*7+i)%140, 15+(height*5+i)%45
			b.send(tea.WindowSizeMsg{Width: width, Height: height})
			check()
		}
		b.press(k)
		check()
	}
}

// anyKeys are keys that show or open something without ending the workbench, starting an editor, or writing.
var anyKeys = []string{
	"enter", "esc", "tab", "j", "k", "J", "K", "space", "g", "G", "l", "h", "w", "s", "b", "E", "u", "v", "p", "r", "]", "[", "1", "2", "3", "4", "5", "6", "7",
	"a", "c", "x", "W", "C", ";", "?", "/", "n", "N", "Q", "T", "A", "L", "D", "P", ":", "U", "o", "t", "R", "X", "S", "ctrl+t", "ctrl+d", "ctrl+u", "ctrl+l", "backspace", "up", "down", "left", "right",
}

var hostileTexts = []string{
	"plain",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\x1b[H \x9b31m \r overwritten \b\b\b \x07 \x00 \x7f",
	"a\u202eb\u202c \u2066c\u2069 \u200bd\u200de\ufeff \u2028 \u2029 \U000E0041\U000E0042",
	"漢字かな交じり文 한국어 👩\u200d👩\u200d👧\u200d👦 👍🏽 🇩🇪🇫🇷 e\u0301o\u0308 ｆｕｌｌ ﷽ \t tab\tstop",
	strings.Repeat("e\u0301\u0302\u0303", 60) + strings.Repeat("\u0300", 300),
	strings.Repeat("long ", 300),
	strings.Repeat("x", 5000),
	strings.Repeat("漢", 800),
	strings.Repeat("line\n", 150),
	"ᄀ" + strings.Repeat("ᅡ", 50) + strings.Repeat("각", 40) + " \u0915\u094d\u0937\u094d\u0930 " + strings.Repeat("\U0001F1E9", 41),
	"&#27;[31m &ZeroWidthSpace; <b>x</b> [link](javascript:x) ![x](http://x)",
}

func TestHostileText(t *testing.T) {
	shortrun.OneGoroutine(t)
	for i, text := range hostileTexts {
		for j, size := range [][2]int{{60, 15}, {80, 24}, {140, 40}, {300, 100}} {
			if (i+j)%shortrun.Every(8) != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%d/%dx%d", i, size[0], size[1]), func(t *testing.T) { checkHostile(t, text, size[0], size[1], slices.Concat(tours...)...) })
		}
	}
}

// TestHugeHostileText shows prompts with a line of 1 MB and with many thousand lines.
func TestHugeHostileText(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	own := ownStyles()
	for name, text := range map[string]string{
		"line":  strings.Repeat("漢\x1b[2J\u202e x", 1<<20/12),
		"lines": strings.Repeat("\x9b31m e\u0301 👩\u200d👧\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			draft := hostile("plain")
			draft.Definition.Tool.Prompt = text
			b := newBigWorkbench(t, draft)
			for _, k := range []string{"enter", "2", "w", "l", "G", "g", "w", "space", "J", "z", "z", "h", "j", "3", "5", "6", "7", "Q", "T", "L", "?"} {
				b.press(k)
				checkWidth(t, b.m.View().Content, 200, 60)
				checkSafe(t, b.m.View().Content, own, 200, 60)
			}
		})
	}
}

func FuzzHostileText(f *testing.F) {
	shortrun.OneGoroutine(f)
	for i, text := range hostileTexts {
		f.Add(limit(text, 400), byte(i*37), byte(i*11), []byte{byte(i), byte(i * 3), byte(i * 5)})
	}
	for i, text := range []string{
		"\u0085\u0090payload\u009c\u009b2J\u009d0;title\u009c \u008d",
		"\x1bPq#0~\x1b\\ \x1b_G\x1b\\ \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b]52;c;eA==\x07 \x1b[6n \x1b[?1049l \x1bc \x0e \x0f",
		"☺\ufe0f ☺\ufe0e 1\ufe0f\u20e3 a\U000e0101 \u180b\u180e\u115f\u1160\u3164\uffa0\u2800 \U000e0001\U000e0061\U000e007f",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f " + strings.Repeat("👩\u200d", 40) + "👩 " + strings.Repeat("🏽", 60),
		"\u202a\u202b\u202d\u2067\u2068\u2069\u200e\u200f\u061c \u2060\u2061\u206a\u206f \ufff9a\ufffab\ufffb \ufeff\u00ad",
		strings.Repeat("ก็", 200) + strings.Repeat("\u0e33", 100) + strings.Repeat("\u20dd", 100) + "Z\u0335\u0321" + strings.Repeat("\u0489", 50),
		"# head\n\n```\x1b[31m\ncode\u202e\n```\n> q\u200b\n* [a](http://\x1b]8;;x\x07)\n\n| a\u202e | b |\n|---|---|\n| \x9b | \t |\n<script>\x00</script> &#x202e; &#27;",
		"\xff\xfe\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \U0010ffff \ue000 \U000f0000",
	} {
		f.Add(text, byte(i*29), byte(i*17), []byte{byte(i), 3, 7, byte(40 + i), 12})
	}
	// The beginning of a tour, followed by any keys. TestHostileText runs the complete tours.
	f.Fuzz(func(t *testing.T, text string, width, height byte, keys []byte) {
		tour := tours[(int(width)+int(height))%len(tours)]
		walk := slices.Clone(tour[:(int(width)*3+len(text))%10])
		for _, k := range keys[:min(len(keys), 8)] {
			walk = append(walk, anyKeys[int(k)%len(anyKeys)])
		}
		checkHostile(t, limit(text, 400), 60+int(width)%140, 15+int(height)%45, walk...)
	})
}
