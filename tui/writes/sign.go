package writes

import (
	"context"
	"io"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/desk"
	"toolcrib/tui/pending"
	"toolcrib/tui/screen"
)

// signingKey is the key of the channel by which a write asks for a signature.
type signingKey struct{}

// operationKey is the key of the operation of a write: while the user is asked, nobody else is
// waited for.
type operationKey struct{}

// signAsk is a request with the write that waits for its outcome.
type signAsk struct {
	desk.SignRequest
	reply chan error
}

// Asking is the message of a write that asks for a signature; wait answers with the outcome of the write.
type Asking struct {
	ask  signAsk
	wait tea.Cmd
}

// AskToSign asks the user on the screen. It runs in a write, outside of the update loop.
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

// signing runs a write that may ask for signatures on its way.
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

// terminalRun is a function that has the terminal while it runs, and a line to print
// there before.
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

// SetStdin implements tea.ExecCommand: the function has the terminal by itself.
func (*terminalRun) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (r *terminalRun) SetStdout(w io.Writer) { r.out = w }

// SetStderr implements tea.ExecCommand.
func (*terminalRun) SetStderr(io.Writer) {}
