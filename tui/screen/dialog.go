// This file defines dialogs and the names of their unsent texts.

package screen

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// Dialog is a question in a sheet, which covers the lower part of the page. The user confirms it with y; enter
// does not confirm it. If Facts is set, the sheet is at most a third of the screen high.
type Dialog struct {
	Form         proposals.Form     // title, effect of the confirmation, and whether a reason is required
	Subject      draw.Safe          // shown in the title
	Facts        func() []draw.Line // draws the lines of the sheet; may be nil
	Content      func(*prose.Page)  // draws the details; if Facts is set, the sheet shows them only after the user has pressed d
	Locked       func() []string    // returns the parts that the user must read before confirming; may be nil
	NoteOptional bool               // the user may confirm without text
	Writing      bool               // the text field has the focus
	Tall         bool               // the text field takes all available lines
	Label        draw.Safe          // label of the text field; "" if the text is a reason
	Draft        string             // name under which the unsent text is stored; "" if it is not stored
	About        string             // description of the unsent text on the drafts page
	Run          func(text string) tea.Cmd
	Keys         []Key          // additional answers
	OnDecline    func() tea.Cmd // called when the user presses esc or n
	OpenUnread   func() tea.Cmd // called when the user presses u while parts are unread; opens the first of them
	Outdated     func() string  // reads the subject again after a write by another process, and returns how it has changed, or ""; may be nil
	TypedCount   string         // text that the user must type before y, for decisions on many proposals; "" for none
}

// Digest returns the given review digest, shortened on a narrow screen.
func (l Layout) Digest(digest string) string {
	if l.Width >= len(digest)+prose.LabelWidth+6 {
		return digest
	}
	return wording.Short(digest)
}

// draftIDLength is the length of a proposal ID.
const draftIDLength = len("00000000-0000-0000-0000-000000000000")

// DecisionDraft returns the name of the unsent text for a decision. The name depends on the act and on the
// exact set of proposals. A text therefore never appears in another decision.
func DecisionDraft(act proposals.Act, ps ...proposals.Proposal) string {
	sorted := lists.Map(ps, func(p proposals.Proposal) proposals.ID { return p.ID })
	slices.Sort(sorted)
	kind := string(act)
	if act == proposals.ActRequestChanges {
		kind = "changes"
	}
	name := kind + "-" + string(sorted[0])
	if len(sorted) == 1 {
		return name
	}
	h := sha256.New()
	for _, id := range sorted {
		fmt.Fprintln(h, id)
	}
	return fmt.Sprintf("%s+%d-%x", name, len(sorted)-1, h.Sum(nil)[:8])
}

// ReadDraft parses a name from DecisionDraft, without the kind at its beginning. It returns the ID of the
// first proposal, and the number of other proposals.
func ReadDraft(about string) (id proposals.ID, more int, ok bool) {
	if len(about) < draftIDLength {
		return "", 0, false
	}
	if rest, several := strings.CutPrefix(about[draftIDLength:], "+"); several {
		count, _, _ := strings.Cut(rest, "-")
		more, _ = strconv.Atoi(count) // more remains 0 if the name is not from DecisionDraft
	}
	return proposals.ID(about[:draftIDLength]), more, true
}

// About returns a description of the proposals to which a text belongs. It contains the name of the proposal
// with the smallest ID, and the number of other proposals.
func About(ps ...proposals.Proposal) string {
	if len(ps) == 0 {
		return ""
	}
	first := slices.MinFunc(ps, func(a, b proposals.Proposal) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return AboutFirst(first, len(ps)-1)
}

// AboutFirst is like About, given only the first proposal and the number of other proposals.
func AboutFirst(p proposals.Proposal, more int) string {
	about := wording.Reference(p) + " " + p.Subject.String()
	if more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	return about
}

// Resume identifies the unsent text that the user wants to continue in a dialog.
type Resume struct {
	ID   proposals.ID
	Kind string // comment, approve, changes, reject, or waive
	File string // name of the file that stores the text
}
