// Package edit has the text fields of the workbench. Components of Bubbles edit lines and notes.
// Drafts may hold hidden characters, which those components drop, so they have another editor.
// Both are drawn here, escaped like everything else.
package edit

import (
	"strings"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
)

// Text is a text with a cursor.
type Text interface {
	String() string
	// Cursor returns the byte of String that the cursor stands before.
	Cursor() int
	// Insert puts text before the cursor.
	Insert(text string)
	// Key does what a key does in an editor, and reports whether anything changed.
	Key(k tea.KeyPressMsg) bool
}

// component is the part of a component of Bubbles that a field needs.
type component interface {
	Value() string
	set(text string, cursor int)
	position() int // in characters
	update(msg tea.Msg)
	kills(k tea.KeyPressMsg) bool
}

// Field is an editor of a line or a note. It writes out hidden characters as their code points.
type Field struct {
	component
	whole  bool // all of it is selected
	killed string
	undo   []state
}

// state is a field as it was.
type state struct {
	text   string
	cursor int
}

// maxUndo is how many states of a field are kept.
const maxUndo = 200

// The keys of a field beyond those of its component.
var (
	undoKey = key.NewBinding(key.WithKeys("ctrl+_", "ctrl+/"))
	yankKey = key.NewBinding(key.WithKeys("ctrl+y"))
	wipeKey = key.NewBinding(key.WithKeys("backspace", "delete", "ctrl+d", "ctrl+w", "alt+backspace", "alt+d"))
)

// New returns a note.
func New(text string) *Field {
	a := textarea.New()
	a.Prompt, a.ShowLineNumbers, a.MaxHeight, a.CharLimit = "", false, 0, 0
	a.SetWidth(a.MaxWidth) // lines are broken where they are drawn
	a.KeyMap.InsertNewline.SetKeys("enter", "shift+enter", "alt+enter", "ctrl+j")
	k := &a.KeyMap
	for _, off := range []*key.Binding{
		&k.Paste, &k.SelectAll, &k.CopySelection, &k.SelectCharacterForward, &k.SelectCharacterBackward, &k.SelectWordForward,
		&k.SelectWordBackward, &k.SelectLineUp, &k.SelectLineDown, // a selection is not drawn, and the terminal pastes
	} {
		off.SetEnabled(false)
	}
	a.Focus()
	f := &Field{component: &area{a}}
	f.set(clean(text, false), -1)
	return f
}

// NewLine returns a line.
func NewLine(text string) *Field {
	l := textinput.New()
	l.Prompt = ""
	l.KeyMap.Paste.SetEnabled(false)
	l.Focus()
	f := &Field{component: &line{l}}
	f.set(clean(text, true), -1)
	return f
}

// NewSelected returns a line whose text is selected. Typed or pasted text replaces it; a key
// that moves the cursor keeps it.
func NewSelected(text string) *Field {
	f := NewLine(text)
	f.whole = text != ""
	return f
}

// clean writes out the hidden characters of a text.
func clean(text string, single bool) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if single {
		return visible.Line(strings.NewReplacer("\n", " ", "\t", " ").Replace(text))
	}
	return visible.Text(text)
}

func (f *Field) single() bool { _, is := f.component.(*line); return is }

// Selected reports whether all of a text is selected.
func Selected(t Text) bool {
	f, is := t.(*Field)
	return is && f.whole
}

// String returns the text.
func (f *Field) String() string { return f.Value() }

// Set replaces the text; the cursor stands at its end.
func (f *Field) Set(text string) {
	f.remember()
	f.whole = false
	f.set(clean(text, f.single()), -1)
}

// Cursor implements Text.
func (f *Field) Cursor() int { return len(string([]rune(f.Value())[:f.position()])) }

// Insert implements Text.
func (f *Field) Insert(text string) {
	f.remember()
	if f.whole {
		f.set("", 0)
		f.whole = false
	}
	f.update(tea.PasteMsg{Content: clean(text, f.single())})
}

// remember keeps the present state, to be undone to.
func (f *Field) remember() {
	f.undo = append(f.undo, state{f.Value(), f.position()})
	f.undo = f.undo[max(0, len(f.undo)-maxUndo):]
}

// Key implements Text.
func (f *Field) Key(k tea.KeyPressMsg) bool {
	text, cursor, whole := f.Value(), f.position(), f.whole
	switch {
	case key.Matches(k, undoKey):
		if n := len(f.undo); n > 0 {
			last := f.undo[n-1]
			f.undo = f.undo[:n-1]
			f.set(last.text, last.cursor)
		}
		return text != f.Value()
	case key.Matches(k, yankKey):
		if f.killed != "" {
			f.Insert(f.killed)
		}
		return text != f.Value()
	case whole && (k.Text != "" || key.Matches(k, wipeKey)):
		f.remember()
		f.set("", 0)
	default:
		f.remember()
	}
	f.whole = false
	if k.Text != "" {
		f.update(tea.PasteMsg{Content: clean(k.Text, f.single())})
	} else if !whole || !key.Matches(k, wipeKey) {
		f.update(k)
	}
	if n := len(text) - len(f.Value()); n > 0 && f.kills(k) {
		from := len(string([]rune(text)[:f.position()]))
		f.killed = text[from : from+n]
	}
	if text == f.Value() { // there is nothing to undo
		f.undo = f.undo[:len(f.undo)-1]
		return cursor != f.position() || whole
	}
	return true
}

// line is a component of one line.
type line struct{ Model textinput.Model }

func (l *line) position() int { return l.Model.Position() }
func (l *line) Value() string { return l.Model.Value() }

func (l *line) update(msg tea.Msg) { l.Model, _ = l.Model.Update(msg) }

func (l *line) set(text string, cursor int) {
	l.Model.SetValue(text)
	l.Model.SetCursor(cursorOr(text, cursor))
}

func (l *line) kills(k tea.KeyPressMsg) bool {
	m := l.Model.KeyMap
	return key.Matches(k, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor)
}

// area is a component of some lines.
type area struct{ Model textarea.Model }

func (a *area) Value() string { return a.Model.Value() }

func (a *area) update(msg tea.Msg) { a.Model, _ = a.Model.Update(msg) }

func (a *area) position() int {
	n := a.Model.Column()
	for _, l := range strings.Split(a.Model.Value(), "\n")[:a.Model.Line()] {
		n += len([]rune(l)) + 1
	}
	return n
}

func (a *area) set(text string, cursor int) {
	a.Model.SetValue(text)
	before := string([]rune(text)[:cursorOr(text, cursor)])
	for a.Model.Line() > strings.Count(before, "\n") {
		a.Model.CursorUp()
	}
	a.Model.SetCursorColumn(len([]rune(before[strings.LastIndexByte(before, '\n')+1:])))
}

func (a *area) kills(k tea.KeyPressMsg) bool {
	m := a.Model.KeyMap
	return key.Matches(k, m.DeleteWordBackward, m.DeleteWordForward, m.DeleteAfterCursor, m.DeleteBeforeCursor)
}

// cursorOr returns a cursor, the end of the text for -1.
func cursorOr(text string, cursor int) int {
	if n := len([]rune(text)); cursor < 0 || cursor > n {
		return n
	}
	return cursor
}
