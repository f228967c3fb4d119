// This file defines what pages can request from the workbench: messages, dialogs, input lines, and writes.

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

// Shell is the part of the workbench that every page can use. Pages with further needs declare other interfaces.
// Each method returns a command that continues the action, or nil.
type Shell interface {
	Messenger
	// Write returns a command that runs w.
	Write(w Write) tea.Cmd
	// Divide changes the division of the screen between two panes.
	Divide(by Division) tea.Cmd
}

// Messenger shows messages, input lines, and dialogs.
type Messenger interface {
	// Say shows a message in the status line until the next key press. Fail shows an error. Both escape the text,
	// which is not trusted. Both return nil.
	Say(tone Tone, format string, args ...any) tea.Cmd
	Fail(err error) tea.Cmd
	// OpenLine opens an input line at the bottom of the screen. Ask opens a dialog.
	OpenLine(l *Line) tea.Cmd
	Ask(d Dialog) tea.Cmd
}

// Then is the result of a command that has read data. The workbench calls Do, which uses the data. If Page is set
// and this page has been closed, the workbench drops the result.
type Then struct {
	Page Page // nil for the workbench
	Do   func() tea.Cmd
}

// Load returns a command that calls read, and then passes the value to fn or shows the error. The result is
// dropped if p has been closed in the meantime.
func Load[T any](sh Messenger, p Page, read func() (T, error), fn func(T) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		got, err := read()
		return Then{Page: p, Do: func() tea.Cmd {
			if err != nil {
				return sh.Fail(err)
			}
			return fn(got)
		}}
	}
}

// Line is an input line at the bottom of the screen, for example for a filter or a search.
type Line struct {
	Prompt  draw.Safe
	Hints   [][2]string        // pairs of a key and its label for the footer
	Above   func() []draw.Line // draws the lines above the input line; may be nil
	Step    func(n int)        // called with 1 for the down arrow and with -1 for the up arrow; may be nil
	Text    edit.Text
	Changed func() tea.Cmd // called after each key; may be nil
	// Complete is called when the user presses tab; it may be nil.
	Complete func() tea.Cmd
	Done     func() tea.Cmd // on enter
	Cancel   func() tea.Cmd // called when the user presses esc; may be nil
}

// Run calls fn and returns its result. If fn is nil, Run returns nil.
func Run(fn func() tea.Cmd) tea.Cmd {
	if fn == nil {
		return nil
	}
	return fn()
}

// Fuzzy reports whether text contains the letters of typed in the same order, possibly with other letters
// between them. It ignores case.
func Fuzzy(typed, text string) bool {
	rest := []rune(strings.ToLower(typed))
	for _, r := range strings.ToLower(text) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// Write writes to the database. The workbench waits for running writes before it quits.
type Write func(ctx context.Context) Wrote

// Wrote is the outcome of a write.
type Wrote struct {
	ID    proposals.ID        // "" if the write is not about a proposal
	Draft string              // name of the unsent text that is no longer needed
	Text  string              // message if the write succeeded
	Open  *proposals.Proposal // proposal to open; nil for none
	Made  bool                // the write has created proposals, but none of them is opened
	// Decided lists the proposals to unmark if the write succeeded.
	Decided []proposals.ID
	// Undone is the message about a failure, for example "not approved". If it is "", "not written" is shown.
	Undone string
	Err    error
	Undo   *Undo // reverts the write; nil if it cannot be undone
}

// Undo reverts the last action with a new action. The history contains both actions.
type Undo struct {
	Says string // effect of the undo key, such as "ends the waiver"
	Ask  func(sh Shell, f Frame) tea.Cmd
}

// Act returns a write that calls fn. about contains the known parts of the outcome.
func Act(about Wrote, form proposals.Form, fn func(context.Context) (string, error)) Write {
	return func(ctx context.Context) Wrote {
		about.Text, about.Err = fn(ctx)
		about.Undone = form.Undone
		return about
	}
}

// Drafted returns a write that calls create, and then opens the new proposal. draft is the name of the unsent
// text that is no longer needed.
func Drafted(draft string, create func(context.Context) (proposals.Proposal, string, error)) Write {
	return func(ctx context.Context) Wrote {
		p, text, err := create(ctx)
		return Wrote{ID: p.ID, Draft: draft, Text: text, Open: &p, Err: err}
	}
}

// Tone is the kind of a status message.
type Tone int

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

// Sayf returns a status message with a formatted text. It escapes the text, because it is not trusted.
func Sayf(tone Tone, format string, args ...any) Status {
	return Status{tone, draw.Escapef(format, args...)}
}

// Fail returns a status message that shows err.
func Fail(err error) Status { return Sayf(Failure, "%s", wording.OneLine(err)) }
