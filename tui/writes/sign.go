// Signatures that a write requests from the user while it runs.

package writes

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/desk"
	"toolcrib/tui/pending"
	"toolcrib/tui/screen"
)

// signingKey is the context key of the channel for signature requests.
type signingKey struct{}

// operationKey is the context key of a write's operation. It is paused while the user is asked, because the program
// is not slow then.
type operationKey struct{}

// signAsk is a request and the channel for its outcome.
type signAsk struct {
	desk.SignRequest
	reply chan error
}

// Asking is sent when a write requests a signature. wait returns the write's result.
type Asking struct {
	ask  signAsk
	wait tea.Cmd
}

// AskToSign asks the user to sign. It runs within a write, outside the update loop.
func AskToSign(ctx context.Context, r desk.SignRequest) error {
	asks, ok := ctx.Value(signingKey{}).(chan signAsk)
	if !ok {
		return desk.ErrNotSigned
	}
	if o, ok := ctx.Value(operationKey{}).(*pending.Operation); ok {
		o.End()
		defer o.Resume()
	}
	ask := signAsk{r, make(chan error, 1)}
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

// signing returns a command that runs a write and passes on its signature requests.
func signing(ctx context.Context, fn func(context.Context) screen.Wrote) tea.Cmd {
	asks, done := make(chan signAsk), make(chan screen.Wrote, 1)
	var wait tea.Cmd
	wait = func() tea.Msg {
		select {
		case ask := <-asks:
			return Asking{ask, wait}
		case wrote := <-done:
			return wrote
		}
	}
	return func() tea.Msg {
		go func() { done <- fn(context.WithValue(ctx, signingKey{}, asks)) }()
		return wait()
	}
}

// terminalRun is a function that uses the terminal while it runs, and a line to print before.
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

// SetStdin implements tea.ExecCommand. The function opens the terminal itself.
func (*terminalRun) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (r *terminalRun) SetStdout(w io.Writer) { r.out = w }

// SetStderr implements tea.ExecCommand.
func (*terminalRun) SetStderr(io.Writer) {}
