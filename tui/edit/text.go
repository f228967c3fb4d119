// The editor for drafts, which keeps hidden characters.

package edit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Lossless is an editor that keeps every character, including hidden ones. It edits proposals and file names.
type Lossless struct {
	runes  []rune
	cursor int
}

// NewLossless returns an editor of a text.
func NewLossless(text string) *Lossless {
	t := &Lossless{runes: []rune(text)}
	t.cursor = len(t.runes)
	return t
}

func (t *Lossless) String() string { return string(t.runes) }

// Cursor implements Text.
func (t *Lossless) Cursor() int { return len(string(t.runes[:t.cursor])) }

// Set replaces the text and moves the cursor to its end.
func (t *Lossless) Set(text string) { *t = *NewLossless(text) }

// Insert implements Text.
func (t *Lossless) Insert(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	in := []rune(text)
	t.runes = append(t.runes[:t.cursor:t.cursor], append(in, t.runes[t.cursor:]...)...)
	t.cursor += len(in)
}

// Key implements Text.
func (t *Lossless) Key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		t.cursor = max(0, t.cursor-1)
	case "right", "ctrl+f":
		t.cursor = min(len(t.runes), t.cursor+1)
	case "home", "ctrl+a":
		t.cursor = t.lineStart()
	case "end", "ctrl+e":
		t.cursor = t.lineEnd()
	case "up", "ctrl+p":
		t.vertical(-1)
	case "down", "ctrl+n":
		t.vertical(1)
	case "alt+b", "alt+left", "ctrl+left":
		t.cursor = t.wordStart()
	case "alt+f", "alt+right", "ctrl+right":
		t.cursor = t.wordEnd()
	case "alt+d", "alt+delete", "ctrl+delete":
		t.remove(t.cursor, t.wordEnd())
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
		t.Insert("\n")
	default:
		if k.Text == "" {
			return false
		}
		t.Insert(k.Text)
	}
	return true
}

func (t *Lossless) remove(from, to int) {
	from, to = max(0, from), min(len(t.runes), to)
	if from < to {
		t.runes = append(t.runes[:from:from], t.runes[to:]...)
		t.cursor = from
	}
}

func (t *Lossless) lineStart() int {
	i := t.cursor
	for i > 0 && t.runes[i-1] != '\n' {
		i--
	}
	return i
}

func (t *Lossless) lineEnd() int {
	i := t.cursor
	for i < len(t.runes) && t.runes[i] != '\n' {
		i++
	}
	return i
}

func (t *Lossless) wordStart() int {
	i := t.cursor
	for i > 0 && t.runes[i-1] == ' ' {
		i--
	}
	for i > 0 && t.runes[i-1] != ' ' && t.runes[i-1] != '\n' {
		i--
	}
	return i
}

func (t *Lossless) wordEnd() int {
	i := t.cursor
	for i < len(t.runes) && t.runes[i] == ' ' {
		i++
	}
	for i < len(t.runes) && t.runes[i] != ' ' && t.runes[i] != '\n' {
		i++
	}
	return i
}

// vertical moves the cursor up or down by a line.
func (t *Lossless) vertical(step int) {
	start, end := t.lineStart(), t.lineEnd()
	column := t.cursor - start
	switch {
	case step < 0 && start > 0:
		t.cursor = start - 1
		t.cursor = min(t.lineStart()+column, start-1)
	case step > 0 && end < len(t.runes):
		t.cursor = end + 1
		t.cursor = min(end+1+column, t.lineEnd())
	}
}
