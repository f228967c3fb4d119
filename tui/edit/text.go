// This file contains the editor for drafts, which preserves hidden characters.

package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/pager"
	"toolcrib/tui/theme"
)

// Lossless is a text editor that preserves every character, including hidden characters. It edits proposals and
// file names.
type Lossless struct {
	runes  []rune
	cursor int
}

// NewLossless returns an editor for text, with the cursor at the end.
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
	t.runes = slices.Insert(t.runes, t.cursor, in...)
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
		t.runes, t.cursor = slices.Delete(t.runes, from, to), from
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

// vertical moves the cursor to the previous line if step is negative, and to the next line otherwise.
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

// CursorStyle draws the cursor by reversing the colors of its cell.
const CursorStyle theme.Style = "\x1b[7m"

// View draws the part of t around the cursor, in a field of the given width and height. It draws the cursor only
// if focus is set.
func View(t Text, th theme.Theme, width, height int, focus bool) []string {
	text, cursor := t.String(), t.Cursor()
	p := pager.New(th)
	p.SetWrap(true)
	if !focus {
		cursor = -1
	}
	p.SetRows(rows(text, cursor, th))
	p.SetSize(width, height)
	before := text[:t.Cursor()]
	p.RevealOffset(strings.Count(before, "\n"), len(before)-1-strings.LastIndexByte(before, '\n'))
	return p.View()
}

// Height returns the number of lines of t at the given width, up to limit.
func Height(t Text, width, limit int) int {
	p := pager.New(theme.Plain())
	p.SetWrap(true)
	p.SetRows(rows(t.String(), -1, theme.Plain()))
	p.SetSize(width, limit)
	return min(p.Lines(limit), limit)
}

// ViewLine draws a single line with its cursor in a field of the given width. marked is the style of selected
// text.
func ViewLine(t Text, th theme.Theme, width int, marked theme.Style) draw.Line {
	text, at := t.String(), t.Cursor()
	before, under, after := draw.Escape(text[:at]), draw.Safe(" "), draw.Safe("")
	if _, n := utf8.DecodeRuneInString(text[at:]); n > 0 {
		under, after = draw.Escape(text[at:at+n]), draw.Escape(text[at+n:])
	}
	for draw.Width(before) > width-4 {
		_, n := utf8.DecodeRuneInString(string(before))
		before = before[n:]
	}
	style := th.Text
	if Selected(t) {
		style = marked
	}
	return draw.Of(style, before).Add(CursorStyle, under).Add(th.Text, after)
}

// rows lays out the lines of text. It draws the cursor at the given offset, unless the offset is -1.
func rows(text string, cursor int, th theme.Theme) pager.Rows {
	var all pager.Fixed
	for line := range strings.SplitSeq(text, "\n") {
		line += " "
		t := draw.Text{Raw: line, Base: th.Text, Hidden: th.Hidden, Faint: th.Faint}
		if cursor >= 0 && cursor < len(line) {
			_, n := utf8.DecodeRuneInString(line[cursor:])
			t.Marks = []draw.Mark{{Start: cursor, End: cursor + n, Style: CursorStyle}}
		}
		cursor -= len(line)
		all.Rows = append(all.Rows, pager.Row{Cells: []pager.Cell{{Gutter: draw.Line{}, Text: t}}})
	}
	return all
}
