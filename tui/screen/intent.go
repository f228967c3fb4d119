package screen

import (
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

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
