package screen

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/wording"
)

// Dialog is a question in a sheet below the page. The user confirms with y, never with enter. A
// dialog with Facts takes at most a third of the screen.
type Dialog struct {
	Form         proposals.Form // its title, what y does, and whether it needs a reason
	Subject      draw.Safe      // in the title
	Facts        func() []draw.Line
	Content      func(*prose.Page) // the details; a dialog with facts shows them on d
	Locked       func() []string   // the parts that have to be read first; nil for none
	NoteOptional bool              // a note can be given
	Writing      bool              // the keys write
	Tall         bool              // the text takes all the room that there is
	Label        draw.Safe         // of the text, "" for a reason
	Draft        string            // under which name the text is kept, "" for not at all
	About        string            // what the text is for
	Run          func(text string) tea.Cmd
	Keys         []Key          // further answers
	Leave        func()         // on esc
	Declined     func() tea.Cmd // on esc and on n
	Passing      bool           // any key that is not an answer declines, and acts on the page
	Unread       func() tea.Cmd // on u while it is locked: goes to the unread parts
	Changed      func() string  // what happened meanwhile to what it is about, "" for nothing
	Tally        string         // text to type before y, so that one key does not decide many; "" for none
}

// Digest is a review digest, whole where a dialog has room for it.
func (l Layout) Digest(digest string) string {
	if l.Width >= len(digest)+prose.LabelWidth+6 {
		return digest
	}
	return wording.Short(digest)
}

// draftIDLength is how long the id of a proposal is.
const draftIDLength = len("00000000-0000-0000-0000-000000000000")

// DecisionDraft names the kept text of a decision on proposals. The name is that of
// the act and of exactly these proposals, in any order, so that no other decision
// finds it.
func DecisionDraft(act proposals.Act, ps ...proposals.Proposal) string {
	sorted := make([]proposals.ID, len(ps))
	for i, p := range ps {
		sorted[i] = p.ID
	}
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

// ReadDraft returns what the name of a kept text says without its kind: the first
// proposal that it is about, and the number of further ones.
func ReadDraft(about string) (id proposals.ID, more int, ok bool) {
	if len(about) < draftIDLength {
		return "", 0, false
	}
	if rest, several := strings.CutPrefix(about[draftIDLength:], "+"); several {
		count, _, _ := strings.Cut(rest, "-")
		more, _ = strconv.Atoi(count) // 0 in a name that is none of ours
	}
	return proposals.ID(about[:draftIDLength]), more, true
}

// About names the proposals that a text is about: the first in the order of
// DecisionDraft, and how many more.
func About(ps ...proposals.Proposal) string {
	if len(ps) == 0 {
		return ""
	}
	first := slices.MinFunc(ps, func(a, b proposals.Proposal) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return AboutFirst(first, len(ps)-1)
}

// AboutFirst is About for the first proposal and the number of others.
func AboutFirst(first proposals.Proposal, more int) string {
	about := wording.Reference(first) + " " + first.Subject.String()
	if more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	return about
}

// Resume is the text of a dialog that was not sent.
type Resume struct {
	ID   proposals.ID
	Kind string // comment, approve, changes, reject or waive
	File string // its name
}
