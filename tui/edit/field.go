// Package edit contains the text fields of the workbench. Field is for notes and single lines. It uses a
// component of Bubbles that drops hidden characters. Lossless is for drafts, which can contain hidden
// characters. The package draws and escapes the text of both fields like all other text.
package edit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
)

// Text is a text with a cursor.
type Text interface {
	String() string
	// Cursor returns the position of the cursor as a byte offset in String.
	Cursor() int
	// Insert inserts text at the cursor.
	Insert(text string)
	// Key handles a key press. It reports whether it changed the text or the cursor.
	Key(k tea.KeyPressMsg) bool
}

// Field edits a single line or a note. It replaces each hidden character by the notation of its code point, such
// as ⟨U+200B⟩.
type Field struct {
	area        textarea.Model
	single      bool // the field has a single line
	allSelected bool // the whole text is selected
	killed      string
	undo        []state
}

// state is a state of a field that the undo key can restore.
type state struct {
	text   string
	cursor int
}

// maxUndo is the maximum number of states that a field stores for undo.
const maxUndo = 200

// Additional keys of Field, which its component does not handle.
var (
	undoKey = key.NewBinding(key.WithKeys("ctrl+_", "ctrl+/"))
	yankKey = key.NewBinding(key.WithKeys("ctrl+y"))
	wipeKey = key.NewBinding(key.WithKeys("backspace", "delete", "ctrl+d", "ctrl+w", "alt+backspace", "alt+d"))
)

// New returns a field for a note, which can have several lines.
func New(text string) *Field { return newField(text, false) }

// NewLine returns a field for a single line.
func NewLine(text string) *Field { return newField(text, true) }

func newField(text string, single bool) *Field {
	a := textarea.New()
	a.Prompt, a.ShowLineNumbers, a.MaxHeight, a.CharLimit = "", false, 0, 0
	a.SetWidth(a.MaxWidth) // long lines are wrapped when they are drawn
	k := &a.KeyMap
	k.InsertNewline.SetKeys("enter", "shift+enter", "alt+enter", "ctrl+j")
	off := []*key.Binding{
		&k.Paste, &k.SelectAll, &k.CopySelection, &k.SelectCharacterForward, &k.SelectCharacterBackward, &k.SelectWordForward,
		&k.SelectWordBackward, &k.SelectLineUp, &k.SelectLineDown, // the package does not draw selections, and the terminal handles pasting
	}
	if single {
		off = append(off, &k.InsertNewline, &k.LineNext, &k.LinePrevious)
	}
	for _, k := range off {
		k.SetEnabled(false)
	}
	a.Focus()
	f := &Field{area: a, single: single}
	f.set(f.clean(text), -1)
	return f
}

// NewSelected returns a field for a single line, with the whole text selected. Typed or pasted text replaces the
// selection. A key that only moves the cursor removes the selection.
func NewSelected(text string) *Field {
	f := NewLine(text)
	f.allSelected = text != ""
	return f
}

// clean replaces each hidden character of text by the notation of its code point. It normalizes newlines; in a
// single line, it replaces them by spaces.
func (f *Field) clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if f.single {
		return visible.Line(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
	}
	return visible.Text(text)
}

// Selected reports whether the whole text of t is selected.
func Selected(t Text) bool {
	f, is := t.(*Field)
	return is && f.allSelected
}

func (f *Field) String() string { return f.area.Value() }

// Set replaces the text and moves the cursor to its end.
func (f *Field) Set(text string) {
	f.pushUndo()
	f.allSelected = false
	f.set(f.clean(text), -1)
}

// Cursor implements Text.
func (f *Field) Cursor() int { return len(string([]rune(f.String())[:f.position()])) }

// Insert implements Text.
func (f *Field) Insert(text string) {
	f.pushUndo()
	if f.allSelected {
		f.set("", 0)
		f.allSelected = false
	}
	f.update(tea.PasteMsg{Content: f.clean(text)})
}

// pushUndo stores the current state for the undo key.
func (f *Field) pushUndo() {
	f.undo = append(f.undo, state{f.String(), f.position()})
	f.undo = f.undo[max(0, len(f.undo)-maxUndo):]
}

// Key implements Text.
func (f *Field) Key(k tea.KeyPressMsg) bool {
	text, cursor, whole := f.String(), f.position(), f.allSelected
	switch {
	case key.Matches(k, undoKey):
		if n := len(f.undo); n > 0 {
			last := f.undo[n-1]
			f.undo = f.undo[:n-1]
			f.set(last.text, last.cursor)
		}
		return text != f.String()
	case key.Matches(k, yankKey):
		if f.killed != "" {
			f.Insert(f.killed)
		}
		return text != f.String()
	case whole && (k.Text != "" || key.Matches(k, wipeKey)):
		f.pushUndo()
		f.set("", 0)
	default:
		f.pushUndo()
	}
	f.allSelected = false
	if k.Text != "" {
		f.update(tea.PasteMsg{Content: f.clean(k.Text)})
	} else if !whole || !key.Matches(k, wipeKey) {
		f.update(k)
	}
	m := f.area.KeyMap
	if n := len(text) - len(f.String()); n > 0 && key.Matches(k, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor) {
		from := len(string([]rune(text)[:f.position()]))
		f.killed = text[from : from+n]
	}
	if text == f.String() { // the text is unchanged, so there is nothing to undo
		f.undo = f.undo[:len(f.undo)-1]
		return cursor != f.position() || whole
	}
	return true
}

func (f *Field) update(msg tea.Msg) { f.area, _ = f.area.Update(msg) }

// position returns the position of the cursor, in runes from the beginning of the text.
func (f *Field) position() int {
	n := f.area.Column()
	for _, l := range strings.Split(f.String(), "\n")[:f.area.Line()] {
		n += len([]rune(l)) + 1
	}
	return n
}

// set replaces the text and moves the cursor to the given position in runes. If cursor is negative, it moves the
// cursor to the end.
func (f *Field) set(text string, cursor int) {
	f.area.SetValue(text)
	runes := []rune(text)
	if cursor < 0 || cursor > len(runes) {
		cursor = len(runes)
	}
	before := string(runes[:cursor])
	for f.area.Line() > strings.Count(before, "\n") {
		f.area.CursorUp()
	}
	f.area.SetCursorColumn(len([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
}
