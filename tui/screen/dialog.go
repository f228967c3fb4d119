package screen

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
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

// Action is the effect of a key or a typed line: an intent for the workbench, a
// command, or both.
type Action func() (Intent, tea.Cmd)

// Key is a key as it is declared, once: the footer, the help and docs/keys.md are
// read from it.
type Key struct {
	Name  string      // what it is rebound by
	Keys  []string    // as Bubble Tea names them; the first is shown
	Label string      // one or two words for the footer; "" keeps it out
	Late  func() bool // whether the footer has it behind the others now; nil for never
	Help  string      // what it does, as a sentence without a full stop
	Picks bool        // it also acts while a line is chosen
	Here  func() bool // whether the tab on the screen is its own: the footer has it there only, and first
	Do    Action
	Off   func() string // why it has no effect now; nil or "" when it has
}

// Why returns why a key is off, "" when it is on.
func (k Key) Why() string {
	if k.Off == nil {
		return ""
	}
	return k.Off()
}

// Always has the footer show a key behind the others.
func Always() bool { return true }

// Line is a text that is typed at the bottom of the screen, such as a filter or a
// search. As an intent it is asked for.
type Line struct {
	Prompt  draw.Safe
	Hints   [][2]string        // its keys, for the footer
	Above   func() []draw.Line // lines above it, nil for none
	Step    func(n int)        // what the arrows up and down do, nil for nothing
	Text    *edit.Text
	Changed Action // after every key, nil for nothing
	// Complete handles tab, nil for nothing.
	Complete Action
	Done     Action // on enter
	Cancel   Action // on esc, nil for nothing
}

// Do runs an action that may be nil.
func (a Action) Do() (Intent, tea.Cmd) {
	if a == nil {
		return nil, nil
	}
	return a()
}

// FilterLine narrows a list while a text is typed; before is the filter until now.
func FilterLine(before string, set func(text string) tea.Cmd) *Line {
	text := edit.NewSelected(before)
	to := func(text func() string) Action { return func() (Intent, tea.Cmd) { return nil, set(text()) } }
	return &Line{
		Prompt: "filter", Text: text, Hints: [][2]string{{"enter", "keep the filter"}, {"esc", "undo it"}},
		Changed: to(text.String), Cancel: to(func() string { return before }),
	}
}

// Write is something that writes. As an intent it is run, and the workbench does not
// end before it has answered.
type Write func(ctx context.Context) Wrote

// Wrote answers a write: what it was about, what to say, and where to go.
type Wrote struct {
	ID    proposals.ID // "" for a write about none
	Draft string       // name of the kept text that is not needed any more
	Text  string
	Open  *proposals.Proposal // to show now
	// Decided are no longer marked when it succeeded.
	Decided []proposals.ID
	// Undone names the act that failed; "" for "not written".
	Undone string
	Err    error
}

// Act does something at the desk; about identifies the answer.
func Act(about Wrote, form proposals.Form, do func(context.Context) (string, error)) Write {
	return func(ctx context.Context) Wrote {
		about.Text, about.Err = do(ctx)
		about.Undone = form.Undone
		return about
	}
}

// Drafted does what makes a proposal, and opens it.
func Drafted(draft string, do func(context.Context) (proposals.Proposal, string, error)) Write {
	return func(ctx context.Context) Wrote {
		p, said, err := do(ctx)
		return Wrote{ID: p.ID, Draft: draft, Text: said, Open: &p, Err: err}
	}
}

// DraftKind begins the name of the kept text of a decision.
func DraftKind(act proposals.Act) string {
	if act == proposals.ActRequestChanges {
		return "changes"
	}
	return string(act)
}

// draftIDLength is how long the id of a proposal is.
const draftIDLength = len("00000000-0000-0000-0000-000000000000")

// DecisionDraft names the kept text of a decision on proposals. The name is that of
// the act and of exactly these proposals, in any order, so that no other decision
// finds it.
func DecisionDraft(act proposals.Act, ids ...proposals.ID) string {
	sorted := slices.Sorted(slices.Values(ids))
	if len(sorted) == 0 {
		return ""
	}
	name := DraftKind(act) + "-" + string(sorted[0])
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

// Job is work that takes long. It reports its progress, ends early when ctx is
// done, and returns lines about its outcome.
type Job func(ctx context.Context, tell Tell) (lines []string, err error)

// Tell reports the progress of a job: how much is done, of which total, 0 for an
// unknown one, and the current step.
type Tell func(done, total int64, step string)

// Intent is something that concerns the whole workbench and that a page wants done:
// one of the types of this file, nil for nothing.
type Intent interface{ intent() }

type (
	// Say shows a line at the bottom until the next key.
	Say struct {
		Tone Tone
		Text draw.Safe
	}
	// Open opens a proposal; its id is enough. SameTab keeps the tab of the one that is on
	// the screen.
	Open struct {
		Proposal proposals.Proposal
		SameTab  bool
	}
	// OpenSet opens the change set of a proposal where it can be shown as one page, else
	// the proposal.
	OpenSet struct{ Proposal proposals.Proposal }
	// OpenUnseen opens a proposal at the parts that have to be read.
	OpenUnseen struct{ Proposal proposals.Proposal }
	// Mark marks a proposal in the queue, or unmarks it.
	Mark struct{ Proposal proposals.Proposal }
	// Start runs a job behind a dialog that shows how far it is.
	Start struct {
		Title string
		Job   Job
	}
	// OpenWaiting opens the next proposal that waits for the user, in the order and with
	// the filter of the queue.
	OpenWaiting struct{}
	// Decide asks for a decision about some proposals together.
	Decide struct {
		Act       proposals.Act
		Proposals []proposals.Proposal
	}
	// OpenEntry shows a definition that is live: what changed between two versions where
	// some are given, or in the editor.
	OpenEntry struct {
		Entry   Entry
		Compare Span
		Change  bool
	}
	// Fork drafts a tool of the user's own from a core tool.
	Fork struct{ ID string }
	// New drafts a new proposal in the editor, Change one about a live definition.
	New    struct{}
	Change struct {
		Subject    registry.Subject
		Definition registry.Definition
		Version    int
	}
	// Export writes the live registry to a file.
	Export struct{}
	// Edit opens a proposal that is written in a file in the user's editor.
	Edit struct {
		ID   proposals.ID // that is revised, "" for a new one
		File string
		Name string // what people know it as
		Text []byte // what it begins with, unless the file is there from before
	}
	// Resume opens the dialog of a text that was not sent, on the page of its proposal.
	Resume struct {
		ID   proposals.ID
		Kind string // comment, approve, changes, reject or waive
		File string // its name
	}
	// Drop deletes a text that is not sent, before the command that comes with it.
	Drop struct{ Draft string }
	// Narrow goes to the queue and filters it.
	Narrow struct{ Filter string }
	// ToQueue goes to the queue.
	ToQueue struct{}
	// Several is some intents, in order.
	Several []Intent
	// Divide divides the screen another way.
	Divide struct{ Division Division }
)

func (Say) intent()         {}
func (Open) intent()        {}
func (OpenSet) intent()     {}
func (OpenWaiting) intent() {}
func (Decide) intent()      {}
func (Divide) intent()      {}
func (OpenUnseen) intent()  {}
func (Mark) intent()        {}
func (Start) intent()       {}
func (OpenEntry) intent()   {}
func (Fork) intent()        {}
func (New) intent()         {}
func (Change) intent()      {}
func (Export) intent()      {}
func (Edit) intent()        {}
func (Resume) intent()      {}
func (Drop) intent()        {}
func (Narrow) intent()      {}
func (ToQueue) intent()     {}
func (Several) intent()     {}
func (*Line) intent()       {}
func (Dialog) intent()      {}
func (Write) intent()       {}

// Tone is the kind of a message.
type Tone int

// The tones.
const (
	Remark Tone = iota
	Success
	Warning
	Failure
)

// Sayf says a line. Everything in it passes the gate for untrusted text.
func Sayf(tone Tone, format string, args ...any) Intent {
	return Say{tone, draw.Showf(format, args...)}
}

// Fail says an error.
func Fail(err error) Intent { return Sayf(Failure, "%s", wording.OneLine(err)) }
