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
	// Divide divides the screen another way.
	Divide struct{ Division Division }
)

func (Say) intent()    {}
func (Open) intent()   {}
func (Divide) intent() {}
func (*Line) intent()  {}

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
