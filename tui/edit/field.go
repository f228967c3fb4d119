// Package edit contains the text fields of the workbench. Lines and notes are edited by Bubbles components. Drafts
// may contain hidden characters, which those components drop, and so have another editor. Both are drawn here and
// escaped like all other text.
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
	// Cursor returns the offset of the cursor in String.
	Cursor() int
	// Insert inserts text at the cursor.
	Insert(text string)
	// Key handles a key press and reports whether anything changed.
	Key(k tea.KeyPressMsg) bool
}

// Field edits a line or a note. It writes hidden characters as code points.
type Field struct {
	area        textarea.Model
	single      bool // it has a single line
	allSelected bool // the whole text is selected
	killed      string
	undo        []state
}

// state is an earlier state of a field.
type state struct {
	text   string
	cursor int
}

// maxUndo is the maximum number of stored states.
const maxUndo = 200

// Keys of a field besides those of its component.
var (
	undoKey = key.NewBinding(key.WithKeys("ctrl+_", "ctrl+/"))
	yankKey = key.NewBinding(key.WithKeys("ctrl+y"))
	wipeKey = key.NewBinding(key.WithKeys("backspace", "delete", "ctrl+d", "ctrl+w", "alt+backspace", "alt+d"))
)

// New returns a field for a note.
func New(text string) *Field { return newField(text, false) }

// NewLine returns a field for a single line.
func NewLine(text string) *Field { return newField(text, true) }

func newField(text string, single bool) *Field {
	a := textarea.New()
	a.Prompt, a.ShowLineNumbers, a.MaxHeight, a.CharLimit = "", false, 0, 0
	a.SetWidth(a.MaxWidth) // lines are broken when they are drawn
	k := &a.KeyMap
	k.InsertNewline.SetKeys("enter", "shift+enter", "alt+enter", "ctrl+j")
	off := []*key.Binding{
		&k.Paste, &k.SelectAll, &k.CopySelection, &k.SelectCharacterForward, &k.SelectCharacterBackward, &k.SelectWordForward,
		&k.SelectWordBackward, &k.SelectLineUp, &k.SelectLineDown, // selections are not drawn, and the terminal pastes
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

// NewSelected returns a line with its text selected. Typed or pasted text replaces the selection; a key that moves
// the cursor keeps the text.
func NewSelected(text string) *Field {
	f := NewLine(text)
	f.allSelected = text != ""
	return f
}

// clean writes the hidden characters of a text as code points.
func (f *Field) clean(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if f.single {
		return visible.Line(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
	}
	return visible.Text(text)
}

// Selected reports whether the whole text is selected.
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

// pushUndo stores the current state for undo.
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
	if text == f.String() { // nothing to undo
		f.undo = f.undo[:len(f.undo)-1]
		return cursor != f.position() || whole
	}
	return true
}

func (f *Field) update(msg tea.Msg) { f.area, _ = f.area.Update(msg) }

// position returns the position of the cursor in runes.
func (f *Field) position() int {
	n := f.area.Column()
	for _, l := range strings.Split(f.String(), "\n")[:f.area.Line()] {
		n += len([]rune(l)) + 1
	}
	return n
}

// set replaces the text and moves the cursor, to the end if cursor is -1.
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
