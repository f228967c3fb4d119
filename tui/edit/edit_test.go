package edit

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/theme"
)

// press returns the key with a Bubble Tea name.
func press(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"left": tea.KeyLeft, "right": tea.KeyRight, "up": tea.KeyUp, "down": tea.KeyDown, "home": tea.KeyHome, "end": tea.KeyEnd,
		"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
	}
	for prefix, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			k := press(rest)
			k.Text, k.Mod = "", mod
			return k
		}
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

// marked returns the text with a bar at the cursor.
func marked(t Text) string { return t.String()[:t.Cursor()] + "|" + t.String()[t.Cursor():] }

func TestKeys(t *testing.T) {
	for _, tt := range []struct{ name, text, keys, want string }{
		{"type", "ab", "left x", "ax|b"},
		{"type at the end", "ab", "漢", "ab漢|"},
		{"left stops", "a", "left left left", "|a"},
		{"right stops", "a", "left right right", "a|"},
		{"backspace", "añ", "backspace", "a|"},
		{"backspace at the beginning", "a", "home backspace", "|a"},
		{"delete", "ab", "home delete", "|b"},
		{"delete at the end", "ab", "delete", "ab|"},
		{"word", "one two  ", "ctrl+w", "one |"},
		{"word of a line", "one\ntwo", "ctrl+w", "one\n|"},
		{"to the beginning of the line", "one\ntwo", "left ctrl+u", "one\n|o"},
		{"to the end of the line", "one\ntwo", "up ctrl+a ctrl+k", "|\ntwo"},
		{"line feed", "ab", "left enter", "a\n|b"},
		{"up keeps the column", "long line\nab", "up", "lo|ng line\nab"},
		{"up to a shorter line", "a\nlong line", "up", "a|\nlong line"},
		{"down to a shorter line", "long line\nab", "up end down", "long line\nab|"},
		{"up in the first line", "ab", "up", "ab|"},
		{"down in the last line", "a\nb", "down", "a\nb|"},
		{"a word back", "one two", "alt+b x", "one x|two"},
		{"a word back by an arrow", "one two", "ctrl+left ctrl+left", "|one two"},
		{"a word on", "one two", "home alt+f", "one| two"},
		{"a word on by an arrow", "one two", "home ctrl+right ctrl+right", "one two|"},
		{"delete a word", "one two three", "home alt+f alt+d", "one| three"},
		{"a line up by a letter", "one\ntwo", "ctrl+p", "one|\ntwo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, text := range []Text{New(tt.text), NewLossless(tt.text)} {
				for key := range strings.FieldsSeq(tt.keys) {
					text.Key(press(key))
				}
				if got := marked(text); got != tt.want {
					t.Errorf("%T: got %q; want %q", text, got, tt.want)
				}
			}
		})
	}
}

// TestUndoAndYank undoes typing, pasting, and deleting, and yanks the last deletion.
func TestUndoAndYank(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"undo a word", "ctrl+w ctrl+_", "one\ntwo three|"},
		{"undo moves the cursor back", "up home x ctrl+_", "|one\ntwo three"},
		{"undo all", "x y ctrl+w ctrl+_ ctrl+_ ctrl+_ ctrl+_", "one\ntwo three|"},
		{"yank a word", "ctrl+w home ctrl+y", "one\nthree|two "},
		{"yank the rest of a line", "home ctrl+k ctrl+y x", "one\ntwo threex|"},
		{"yank twice", "ctrl+u a ctrl+y ctrl+y", "one\natwo threetwo three|"},
		{"nothing to yank", "home ctrl+y", "one\n|two three"},
		{"a movement is nothing to undo", "x left left ctrl+_", "one\ntwo three|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := New("one\ntwo three")
			for key := range strings.FieldsSeq(tt.keys) {
				text.Key(press(key))
			}
			if got := marked(text); got != tt.want {
				t.Errorf("got %q; want %q", got, tt.want)
			}
		})
	}
}

// TestHiddenCharacters checks that a field writes hidden characters as code points and that a draft keeps them.
func TestHiddenCharacters(t *testing.T) {
	const hidden = "a\u202eb\u200b\x1b[31m"
	for _, text := range []Text{New(hidden), NewLine(hidden), New(""), NewLine("")} {
		if text.String() == "" {
			text.Insert(hidden)
		}
		if got := text.String(); got != "a⟨U+202E⟩b⟨U+200B⟩⟨U+001B⟩[31m" {
			t.Errorf("%q", got)
		}
	}
	if text := NewLossless(hidden); text.String() != hidden {
		t.Errorf("a draft became %q", text.String())
	}
}

// TestOneLine checks that a single line does not handle the keys of several lines.
func TestOneLine(t *testing.T) {
	text := NewLine("ab")
	for _, key := range []string{"enter", "up", "down", "esc"} {
		if text.Key(press(key)) {
			t.Errorf("%s was taken", key)
		}
	}
	if got := marked(text); got != "ab|" {
		t.Errorf("got %q", got)
	}
}

// TestPaste pastes line breaks of every system.
func TestPaste(t *testing.T) {
	for _, text := range []Text{New("()"), NewLossless("()")} {
		text.Key(press("left"))
		text.Insert("a\r\nb\rc\nd")
		if got := marked(text); got != "(a\nb\nc\nd|)" {
			t.Errorf("%T: got %q", text, got)
		}
	}
}

// TestViewShowsTheCursor draws a text that does not fit. Every line has the requested width, the cursor is visible,
// and a hidden character is written out.
func TestViewShowsTheCursor(t *testing.T) {
	text := NewLossless(strings.Repeat("line\n", 20) + "the \u202elast one")
	view := View(text, theme.Plain(), 20, 4, true)
	if len(view) != 4 {
		t.Fatalf("%d lines", len(view))
	}
	all := strings.Join(view, "\n")
	if !strings.Contains(ansi.Strip(all), "⟨U+202E⟩") || !strings.Contains(all, string(CursorStyle)) {
		t.Errorf("got %q", all)
	}
	for _, l := range view {
		if ansi.StringWidth(l) != 20 {
			t.Errorf("%q is not 20 cells wide", l)
		}
	}
}

// TestSelected checks that the first typed or pasted text, or a deletion, replaces the selection.
func TestSelected(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"type", "x y", "xy|"},
		{"delete", "backspace", "|"},
		{"delete a word", "ctrl+w", "|"},
		{"move, then type", "end x", "rule:S101 viewx|"},
		{"move, then delete", "left backspace", "rule:S101 vi|w"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := NewSelected("rule:S101 view")
			for key := range strings.FieldsSeq(tt.keys) {
				text.Key(press(key))
			}
			if got := marked(text); got != tt.want || Selected(text) {
				t.Errorf("got %q, selected %t; want %q", got, Selected(text), tt.want)
			}
		})
	}
	text := NewSelected("view")
	text.Insert("pasted\r\n")
	if got := text.String(); got != "pasted " {
		t.Errorf("after a paste: %q", got)
	}
	if Selected(NewSelected("")) {
		t.Error("an empty text is selected")
	}
}
