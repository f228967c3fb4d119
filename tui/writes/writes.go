// Package writes runs writes to the database. The workbench waits for running writes before it quits.
package writes

import (
	"cmp"
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/tui/desk"
	"toolcrib/tui/dialog"
	"toolcrib/tui/pending"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// Shell is the part of the workbench that Writer uses.
type Shell interface {
	Ask(d screen.Dialog) tea.Cmd
	Dialog() *dialog.Dialog // open dialog, or nil
}

// Writer runs the writes of the workbench.
type Writer struct {
	shell    Shell
	pending  *pending.Operations
	signed   bool            // writes request signatures from the user
	ctx      context.Context //nolint:containedctx // context of the writes; canceled when the program is told to terminate
	cancel   context.CancelFunc
	running  int
	outcomes []string // outcomes of the writes that ended after the program was told to terminate
}

// New returns a Writer. Canceling ctx cancels the writes. signed indicates that writes request signatures from
// the user.
func New(ctx context.Context, sh Shell, ops *pending.Operations, signed bool) *Writer {
	w := &Writer{shell: sh, pending: ops, signed: signed}
	w.ctx, w.cancel = context.WithCancel(ctx)
	return w
}

// Running returns the number of running writes.
func (w *Writer) Running() int { return w.running }

// Cancel cancels the running writes. It is called to terminate the program.
func (w *Writer) Cancel() { w.cancel() }

// Write returns a command that runs fn. The program does not quit before fn has returned. A request to
// terminate the program cancels the write. A canceled write is performed completely or not at all.
func (w *Writer) Write(fn screen.Write) tea.Cmd {
	o := w.pending.Begin(pending.Writing)
	run := func(ctx context.Context) screen.Wrote {
		defer o.End()
		return fn(context.WithValue(ctx, operationKey{}, o))
	}
	write := func() tea.Msg { return run(w.ctx) }
	if w.signed {
		write = signing(w.ctx, run)
	}
	w.running++
	return tea.Batch(write, w.pending.Watch())
}

// Ended records that a write has ended. If the program is terminating, Ended stores the outcome, because the
// screen is gone.
func (w *Writer) Ended(msg screen.Wrote) {
	w.running--
	switch {
	case w.ctx.Err() == nil:
	case errors.Is(msg.Err, context.Canceled):
		w.outcomes = append(w.outcomes, cmp.Or(msg.Undone, "not saved")+": toolcrib quit while the database was busy")
	case msg.Err != nil:
		w.outcomes = append(w.outcomes, cmp.Or(msg.Undone, "not written")+": "+msg.Err.Error())
	default:
		w.outcomes = append(w.outcomes, msg.Text)
	}
}

// Outcomes describes the outcomes of the writes that ended after a request to terminate the program.
func (w *Writer) Outcomes() []string { return w.outcomes }

// Sign opens a dialog that shows the signer, the key, and the statement. The key is used only after the user
// has confirmed.
func (w *Writer) Sign(msg SignatureRequested) tea.Cmd {
	ask := msg.ask
	before := tea.Cmd(nil)
	if d := w.shell.Dialog(); d != nil { // the request cannot wait, so close the open dialog and save its text
		before = tea.Batch(d.Save(), d.Decline())
	}
	open := w.shell.Ask(screen.Dialog{
		Form: proposals.Form{Title: "Sign the decision", Verb: "sign"},
		Content: func(page *prose.Page) {
			page.Field("signer", ask.Principal)
			page.Field("key", ask.Key)
			page.Field("statement", ask.Statement)
			page.Blank()
			page.Text("", "The key may require a touch, a PIN, or a passphrase. Without a signature, nothing is decided.")
		},
		OnDecline: func() tea.Cmd {
			ask.reply <- desk.ErrNotSigned
			return msg.wait
		},
		Run: func(_ string) tea.Cmd {
			if !ask.Terminal {
				return func() tea.Msg {
					key := w.pending.Begin("Waiting for the key to sign")
					err := ask.Run()
					key.End()
					ask.reply <- err
					return msg.wait()
				}
			}
			return tea.Exec(&terminalRun{run: ask.Run, line: visible.Line(ask.Line())}, func(err error) tea.Msg {
				ask.reply <- err
				return msg.wait()
			})
		},
	})
	return tea.Batch(before, open)
}

// The code below lets a running write request signatures from the user.

// signingKey is the context key of the channel for signature requests.
type signingKey struct{}

// operationKey is the context key of the pending operation that represents a write. The operation is paused
// while a dialog is waiting for the user, because this time must not make the write look slow.
type operationKey struct{}

// signatureRequest is a request for a signature. The outcome is sent to the channel reply.
type signatureRequest struct {
	desk.SignRequest
	reply chan error
}

// SignatureRequested is sent when a write requests a signature. After the user has responded, the command wait
// returns the next request, or the result of the write.
type SignatureRequested struct {
	ask  signatureRequest
	wait tea.Cmd
}

// AskToSign requests a signature from the user. Only a running write may call it, and not in the update loop.
func AskToSign(ctx context.Context, r desk.SignRequest) error {
	asks, ok := ctx.Value(signingKey{}).(chan signatureRequest)
	if !ok {
		return desk.ErrNotSigned
	}
	if o, ok := ctx.Value(operationKey{}).(*pending.Operation); ok {
		o.End()
		defer o.Resume()
	}
	ask := signatureRequest{r, make(chan error, 1)}
	select {
	case asks <- ask:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-ask.reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// signing returns a command that runs a write and forwards its signature requests to the update loop.
func signing(ctx context.Context, fn func(context.Context) screen.Wrote) tea.Cmd {
	asks, done := make(chan signatureRequest), make(chan screen.Wrote, 1)
	var wait tea.Cmd
	wait = func() tea.Msg {
		select {
		case ask := <-asks:
			return SignatureRequested{ask, wait}
		case wrote := <-done:
			return wrote
		}
	}
	return func() tea.Msg {
		go func() { done <- fn(context.WithValue(ctx, signingKey{}, asks)) }()
		return wait()
	}
}

// terminalRun is a function that uses the terminal while the workbench is suspended. line is written to the
// terminal before the function runs.
type terminalRun struct {
	run  func() error
	line string
	out  io.Writer
}

// Run implements tea.ExecCommand.
func (r *terminalRun) Run() error {
	if _, err := io.WriteString(r.out, r.line+"\n"); err != nil {
		return err
	}
	return r.run()
}

// SetStdin implements tea.ExecCommand. It does nothing, because the function opens the terminal itself.
func (*terminalRun) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (r *terminalRun) SetStdout(w io.Writer) { r.out = w }

// SetStderr implements tea.ExecCommand.
func (*terminalRun) SetStderr(io.Writer) {}
