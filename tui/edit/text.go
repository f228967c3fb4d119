// Package edit is a small editor for a line or a few. It is ours because what
// is typed and pasted is drawn through the same gate as everything else:
// editors that draw for themselves pass hidden characters on.
package edit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Text is text with a cursor.
type Text struct {
	runes  []rune
	cursor int
	single bool // one line only
	whole  bool // all of it is selected
}

// New returns an editor of any number of lines.
func New(text string) *Text {
	t := &Text{runes: []rune(text)}
	t.cursor = len(t.runes)
	return t
}

// NewLine returns an editor of one line.
func NewLine(text string) *Text {
	t := New(text)
	t.single = true
	return t
}

// NewSelected returns an editor of one line in which all of text is selected: what
// is typed or pasted first takes its place, and a key that moves the cursor keeps it.
func NewSelected(text string) *Text {
	t := NewLine(text)
	t.whole = text != ""
	return t
}

// Selected reports whether all of the text is selected.
func (t *Text) Selected() bool { return t.whole }

// String returns the text.
func (t *Text) String() string { return string(t.runes) }

// Cursor returns the byte of String that the cursor stands before.
func (t *Text) Cursor() int { return len(string(t.runes[:t.cursor])) }

// Insert puts text before the cursor.
func (t *Text) Insert(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	in := []rune(text)
	if t.whole {
		t.clear()
	}
	t.runes = append(t.runes[:t.cursor:t.cursor], append(in, t.runes[t.cursor:]...)...)
	t.cursor += len(in)
}

// Key does what a key does in an editor; false when it does nothing here.
func (t *Text) Key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "backspace", "delete", "ctrl+d", "ctrl+w", "alt+backspace":
		if t.whole {
			t.clear()
			return true
		}
	}
	if k.Text == "" {
		t.whole = false
	}
	return t.edit(k)
}

func (t *Text) clear() { t.runes, t.cursor, t.whole = nil, 0, false }

func (t *Text) edit(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		t.cursor = max(0, t.cursor-1)
	case "right", "ctrl+f":
		t.cursor = min(len(t.runes), t.cursor+1)
	case "home", "ctrl+a":
		t.cursor = t.lineStart()
	case "end", "ctrl+e":
		t.cursor = t.lineEnd()
	case "up":
		return t.vertical(-1)
	case "down":
		return t.vertical(1)
	case "backspace":
		t.remove(t.cursor-1, t.cursor)
	case "delete", "ctrl+d":
		t.remove(t.cursor, t.cursor+1)
	case "ctrl+w", "alt+backspace":
		t.remove(t.wordStart(), t.cursor)
	case "ctrl+u":
		t.remove(t.lineStart(), t.cursor)
	case "ctrl+k":
		t.remove(t.cursor, t.lineEnd())
	case "enter", "shift+enter", "alt+enter", "ctrl+j":
		if t.single {
			return false
		}
		t.Insert("\n")
	default:
		if k.Text == "" {
			return false
		}
		t.Insert(k.Text)
	}
	return true
}

func (t *Text) remove(from, to int) {
	from, to = max(0, from), min(len(t.runes), to)
	if from < to {
		t.runes = append(t.runes[:from:from], t.runes[to:]...)
		t.cursor = from
	}
}

func (t *Text) lineStart() int {
	i := t.cursor
	for i > 0 && t.runes[i-1] != '\n' {
		i--
	}
	return i
}

func (t *Text) lineEnd() int {
	i := t.cursor
	for i < len(t.runes) && t.runes[i] != '\n' {
		i++
	}
	return i
}

func (t *Text) wordStart() int {
	i := t.cursor
	for i > 0 && t.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && t.runes[i-1] != ' ' && t.runes[i-1] != '\n' {
		i--
	}
	return i
}

// vertical moves the cursor a line up or down.
func (t *Text) vertical(step int) bool {
	if t.single {
		return false
	}
	start := t.lineStart()
	column := t.cursor - start
	if step < 0 {
		if start == 0 {
			return true
		}
		t.cursor = start - 1
		t.cursor = min(t.lineStart()+column, start-1)
		return true
	}
	end := t.lineEnd()
	if end == len(t.runes) {
		return true
	}
	t.cursor = end + 1
	t.cursor = min(end+1+column, t.lineEnd())
	return true
}
