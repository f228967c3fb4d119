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

// Shell lets every page use the workbench. A page that needs more declares its own
// interface. Every method returns a command that continues the action, nil for none.
type Shell interface {
	Messenger
	// Write writes. Start runs a job behind a dialog that shows how far it is.
	Write(w Write) tea.Cmd
	Start(title string, job Job) tea.Cmd
	// Divide divides the screen another way.
	Divide(by Division) tea.Cmd
}

// Messenger tells the user something, and asks.
type Messenger interface {
	// Say shows a line at the bottom until the next key, Fail an error; both return nil.
	// Everything in it passes the gate for untrusted text.
	Say(tone Tone, format string, args ...any) tea.Cmd
	Fail(err error) tea.Cmd
	// Type has a line typed at the bottom, Ask opens a dialog.
	Type(l *Line) tea.Cmd
	Ask(d Dialog) tea.Cmd
}

// Then is the message of a command that has read something. Do handles it, for a page only as
// long as the page can be reached.
type Then struct {
	Page Page // nil for the workbench
	Do   func() tea.Cmd
}

// Reading returns a command that reads something for a page. take gets what was read as long
// as the page can be reached; an error is shown.
func Reading[T any](sh Messenger, p Page, read func() (T, error), take func(T) tea.Cmd) tea.Cmd {
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

// Line is a text that is typed at the bottom of the screen, such as a filter or a
// search.
type Line struct {
	Prompt  draw.Safe
	Hints   [][2]string        // its keys, for the footer
	Above   func() []draw.Line // lines above it, nil for none
	Step    func(n int)        // what the arrows up and down do, nil for nothing
	Text    edit.Text
	Changed func() tea.Cmd // after every key, nil for nothing
	// Complete handles tab, nil for nothing.
	Complete func() tea.Cmd
	Done     func() tea.Cmd // on enter
	Cancel   func() tea.Cmd // on esc, nil for nothing
}

// Run calls do, which may be nil.
func Run(do func() tea.Cmd) tea.Cmd {
	if do == nil {
		return nil
	}
	return do()
}

// Fuzzy reports whether text has the letters of typed in their order, whatever their case.
func Fuzzy(typed, text string) bool {
	rest := []rune(strings.ToLower(typed))
	for _, r := range strings.ToLower(text) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// FilterLine narrows a list while a text is typed; before is the filter until now.
func FilterLine(before string, set func(text string) tea.Cmd) *Line {
	text := edit.NewSelected(before)
	return &Line{
		Prompt: "filter", Text: text, Hints: [][2]string{{"enter", "keep the filter"}, {"esc", "undo it"}},
		Changed: func() tea.Cmd { return set(text.String()) }, Cancel: func() tea.Cmd { return set(before) },
	}
}

// Write is something that writes. The workbench does not end before it has answered.
type Write func(ctx context.Context) Wrote

// Wrote is the outcome of a write.
type Wrote struct {
	ID    proposals.ID // "" for a write about none
	Draft string       // name of the kept text that is not needed any more
	Text  string
	Open  *proposals.Proposal // to show now
	Made  bool                // it made proposals without showing one
	// Decided are no longer marked when it succeeded.
	Decided []proposals.ID
	// Undone names the act that failed; "" for "not written".
	Undone string
	Err    error
	Undo   *Undo // nil where nothing takes it back
}

// Undo takes back what was just done, without hiding that it was done.
type Undo struct {
	Says string // what its key does, as "ends the waiver"
	Ask  func(sh Shell, f Frame) tea.Cmd
}

// Act returns a write that does something at the desk. about has the parts of its outcome that
// are known before.
func Act(about Wrote, form proposals.Form, do func(context.Context) (string, error)) Write {
	return func(ctx context.Context) Wrote {
		about.Text, about.Err = do(ctx)
		about.Undone = form.Undone
		return about
	}
}

// Drafted returns a write that makes a proposal, which is opened then.
func Drafted(draft string, do func(context.Context) (proposals.Proposal, string, error)) Write {
	return func(ctx context.Context) Wrote {
		p, said, err := do(ctx)
		return Wrote{ID: p.ID, Draft: draft, Text: said, Open: &p, Err: err}
	}
}

// Job is work that takes long. It reports its progress, ends early when ctx is
// done, and returns lines about its outcome.
type Job func(ctx context.Context, tell Tell) (lines []string, err error)

// Tell reports the progress of a job: how much is done, of which total, 0 for an
// unknown one, and the current step.
type Tell func(done, total int64, step string)

// Tone is the kind of a message.
type Tone int

// The tones.
const (
	Remark Tone = iota
	Success
	Warning
	Failure
)

// Status is a line at the bottom.
type Status struct {
	Tone Tone
	Text draw.Safe
}

// Sayf returns a line. Everything in it passes the gate for untrusted text.
func Sayf(tone Tone, format string, args ...any) Status {
	return Status{tone, draw.Showf(format, args...)}
}

// Fail returns the line of an error.
func Fail(err error) Status { return Sayf(Failure, "%s", wording.OneLine(err)) }
