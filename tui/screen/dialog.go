package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// dialogWidth is how wide a dialog is where there is room, in cells.
const dialogWidth = 92

// Dialog asks before something is done. It is answered by y, never by enter. As an
// intent it is opened.
type Dialog struct {
	Form         proposals.Form // its title, what y does, and whether it needs a reason
	Content      func(*prose.Page)
	Locked       func() []string // the parts that have to be read first; nil for none
	NoteOptional bool            // a note can be given
	Writing      bool            // the keys write
	Tall         bool            // the text takes all the room that there is
	Label        draw.Safe       // of the text, "" for a reason
	Draft        string          // under which name the text is kept, "" for not at all
	About        string          // what the text is for
	Run          func(text string) (Intent, tea.Cmd)
	Other        map[string]Action // further answers, by key
	OtherHelp    [][2]string
	Leave        func()         // on esc
	Declined     func() tea.Cmd // on esc and on n
	Unread       Action         // on u while it is locked: goes to the unread parts
	Changed      func() string  // what happened meanwhile to what it is about, "" for nothing
	Tally        string         // text to type before y, so that one key does not decide many; "" for none
}

// Dialog returns the width and the height of a dialog that wants so many lines.
func (l Layout) Dialog(height int) (w, h int) {
	return min(dialogWidth, l.Width-4), min(height, l.Body)
}

// Digest is a review digest, whole where a dialog has room for it.
func (l Layout) Digest(digest string) string {
	if w, _ := l.Dialog(1); w >= len(digest)+prose.LabelWidth+6 {
		return digest
	}
	return wording.Short(digest)
}
