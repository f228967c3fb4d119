// This file defines what pages request from the workbench: messages, questions, and writes.

package screen

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/wording"
)

// Shell has the parts of the workbench that every page can use. A page that needs more declares its own interface. The
// methods return a command that continues the action, or nil.
type Shell interface {
	Messenger
	// Write runs a write.
	Write(w Write) tea.Cmd
	// Divide changes how the screen is divided between two panes.
	Divide(by Division) tea.Cmd
}

// Messenger shows messages and asks questions.
type Messenger interface {
	// Say shows a message in the status line until the next key. Fail shows an error. Both return nil. The message is
	// sanitized as untrusted text.
	Say(tone Tone, format string, args ...any) tea.Cmd
	Fail(err error) tea.Cmd
	// OpenLine opens an input line at the bottom. Ask opens a dialog.
	OpenLine(l *Line) tea.Cmd
	Ask(d Dialog) tea.Cmd
}

// Then is the result of a command that has read something. Do handles the result. If Page is set, the result is
// dropped once that page is gone.
type Then struct {
	Page Page // nil for the workbench
	Do   func() tea.Cmd
}

// Load returns a command that calls read and passes the result to take, unless the page is gone by then. It shows
// an error.
func Load[T any](sh Messenger, p Page, read func() (T, error), take func(T) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		got, err := read()
		return Then{Page: p, Do: func() tea.Cmd {
			if err != nil {
				return sh.Fail(err)
			}
			return take(got)
		}}
	}
}

// Line is an input line at the bottom of the screen, such as a filter or a search.
type Line struct {
	Prompt  draw.Safe
	Hints   [][2]string        // keys for the footer
	Above   func() []draw.Line // draws the lines above it; may be nil
	Step    func(n int)        // handles the arrows up and down; may be nil
	Text    edit.Text
	Changed func() tea.Cmd // called after every key; may be nil
	// Complete handles tab; may be nil.
	Complete func() tea.Cmd
	Done     func() tea.Cmd // on enter
	Cancel   func() tea.Cmd // on esc; may be nil
}

// Run calls do if it is not nil.
func Run(do func() tea.Cmd) tea.Cmd {
	if do == nil {
		return nil
	}
	return do()
}

// Fuzzy reports whether text contains the letters of typed in the same order, ignoring case.
func Fuzzy(typed, text string) bool {
	rest := []rune(strings.ToLower(typed))
	for _, r := range strings.ToLower(text) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// Write is a function that writes. The workbench waits for its result before it quits.
type Write func(ctx context.Context) Wrote

// Wrote is the outcome of a write.
type Wrote struct {
	ID    proposals.ID // "" if the write is not about a proposal
	Draft string       // name of the unsent text to delete
	Text  string
	Open  *proposals.Proposal // proposal to open
	Made  bool                // it created proposals without opening one
	// Decided are the proposals to unmark if the write succeeded.
	Decided []proposals.ID
	// Undone describes the failure, such as "not approved"; "" for "not written".
	Undone string
	Err    error
	Undo   *Undo // nil if it cannot be undone
}

// Undo reverts the last action by a new one, so that history keeps both.
type Undo struct {
	Says string // effect of the key, such as "ends the waiver"
	Ask  func(sh Shell, f Frame) tea.Cmd
}

// Act returns a write that calls do. about has the parts of the result that are known beforehand.
func Act(about Wrote, form proposals.Form, do func(context.Context) (string, error)) Write {
	return func(ctx context.Context) Wrote {
		about.Text, about.Err = do(ctx)
		about.Undone = form.Undone
		return about
	}
}

// Drafted returns a write that creates a proposal and then opens it.
func Drafted(draft string, do func(context.Context) (proposals.Proposal, string, error)) Write {
	return func(ctx context.Context) Wrote {
		p, text, err := do(ctx)
		return Wrote{ID: p.ID, Draft: draft, Text: text, Open: &p, Err: err}
	}
}

// Tone is the kind of a status message.
type Tone int

// The tones.
const (
	Remark Tone = iota
	Success
	Warning
	Failure
)

// Status is a message in the status line.
type Status struct {
	Tone Tone
	Text draw.Safe
}

// Sayf formats a status message. It is sanitized as untrusted text.
func Sayf(tone Tone, format string, args ...any) Status {
	return Status{tone, draw.Escapef(format, args...)}
}

// Fail returns the status message of an error.
func Fail(err error) Status { return Sayf(Failure, "%s", wording.OneLine(err)) }
