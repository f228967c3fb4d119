package screen

import (
	"toolcrib/proposals"
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
	// Open opens a proposal; its id is enough.
	Open struct{ Proposal proposals.Proposal }
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
	// ToQueue goes to the queue.
	ToQueue struct{}
	// Several is some intents, in order.
	Several []Intent
	// Divide divides the screen another way.
	Divide struct{ Division Division }
)

func (Say) intent()     {}
func (Open) intent()    {}
func (Divide) intent()  {}
func (Edit) intent()    {}
func (Resume) intent()  {}
func (Drop) intent()    {}
func (ToQueue) intent() {}
func (Several) intent() {}
func (*Line) intent()   {}
func (Dialog) intent()  {}
func (Write) intent()   {}

// Marked stands for the marked proposals in the name of an unsent text about them.
const Marked = "marked"

// Tone is how something is said.
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
