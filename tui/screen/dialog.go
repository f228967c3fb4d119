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

// Dialog is a question in a sheet below the page. The user confirms with y, never with enter. A dialog with Facts
// takes at most a third of the screen.
type Dialog struct {
	Form         proposals.Form // title, effect of y, and whether a reason is required
	Subject      draw.Safe      // in the title
	Facts        func() []draw.Line
	Content      func(*prose.Page) // details; in a dialog with facts, the d key shows them
	Locked       func() []string   // returns the parts that must be read first; may be nil
	NoteOptional bool              // a note is optional
	Writing      bool              // the text field has the focus
	Tall         bool              // the text field takes all available lines
	Label        draw.Safe         // label of the text field; "" for a reason
	Draft        string            // name under which the unsent text is stored; "" for none
	About        string            // description of the unsent text, for the drafts page
	Run          func(text string) tea.Cmd
	Keys         []Key          // additional answers
	OnDecline    func() tea.Cmd // on esc and n
	PassKeys     bool           // other keys decline and then act on the page
	OpenUnread   func() tea.Cmd // on u while locked: opens the unread parts
	Changed      func() string  // returns how the subject has changed since; "" if it has not
	TypedCount   string         // text that must be typed before y, so that one key does not decide many; "" for none
}

// Digest returns a review digest, shortened if the screen is narrow.
func (l Layout) Digest(digest string) string {
	if l.Width >= len(digest)+prose.LabelWidth+6 {
		return digest
	}
	return wording.Short(digest)
}

// draftIDLength is the length of a proposal's id.
const draftIDLength = len("00000000-0000-0000-0000-000000000000")

// DecisionDraft returns the name of the unsent text of a decision. The name depends on the act and on exactly this
// set of proposals, so that no other decision finds the text.
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

// ReadDraft parses the name of an unsent text, without its kind. It returns the first proposal and the number of
// further ones.
func ReadDraft(about string) (id proposals.ID, more int, ok bool) {
	if len(about) < draftIDLength {
		return "", 0, false
	}
	if rest, several := strings.CutPrefix(about[draftIDLength:], "+"); several {
		count, _, _ := strings.Cut(rest, "-")
		more, _ = strconv.Atoi(count) // 0 for a foreign name
	}
	return proposals.ID(about[:draftIDLength]), more, true
}

// About describes the subject of a text: the first proposal, in the order of DecisionDraft, and the number of others.
func About(ps ...proposals.Proposal) string {
	if len(ps) == 0 {
		return ""
	}
	first := slices.MinFunc(ps, func(a, b proposals.Proposal) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return AboutFirst(first, len(ps)-1)
}

// AboutFirst is like About, given the first proposal and the number of others.
func AboutFirst(first proposals.Proposal, more int) string {
	about := wording.Reference(first) + " " + first.Subject.String()
	if more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	return about
}

// Resume identifies an unsent text of a dialog.
type Resume struct {
	ID   proposals.ID
	Kind string // comment, approve, changes, reject or waive
	File string // file name
}
