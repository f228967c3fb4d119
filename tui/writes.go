package tui

import (
	"cmp"
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/draw"
	"toolcrib/tui/proposal"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
)

// Write runs something that writes. The program does not end before it has
// answered. It is cancelled when the program is ended from outside: a write that
// waits for a busy database has written nothing, and one that has begun is kept
// whole or not at all.
func (m *writes) Write(fn screen.Write) tea.Cmd {
	o := m.waits.begin(writing)
	run := func(ctx context.Context) screen.Wrote {
		defer o.end()
		return fn(context.WithValue(ctx, operationKey{}, o))
	}
	write := func() tea.Msg { return run(m.writing) }
	if m.cfg.Signer != nil {
		write = signing(m.writing, run)
	}
	m.running++
	return tea.Batch(write, tick(m.shell))
}

// waiting shows that something is written, and that it or a read takes long.
func (m *writes) waiting() draw.Line {
	o, elapsed, slow := slow(m.shell)
	word := draw.Safe("reading")
	switch {
	case m.running > 0:
		word = "writing"
	case !slow:
		return nil
	}
	l := draw.Of(m.theme.Warn, spun(elapsed)+" "+word)
	if slow && (o.what == writing || m.running == 0) {
		l = l.Add(m.theme.Warn, draw.Showf(" %d s", int(elapsed.Seconds())))
	}
	return l.Add("", "  ")
}

// farewell keeps how a write ended that was on its way when the program was
// told to leave: there is no screen any more to say it on.
func (m *writes) farewell(msg screen.Wrote) {
	switch {
	case errors.Is(msg.Err, context.Canceled):
		m.left = append(m.left, cmp.Or(msg.Undone, "not saved")+": the database was busy when toolcrib quit; nothing was saved")
	case msg.Err != nil:
		m.left = append(m.left, cmp.Or(msg.Undone, "not written")+": "+msg.Err.Error())
	default:
		m.left = append(m.left, msg.Text)
	}
}

// Left returns how the writes ended that were on their way when the program was
// told to leave.
func (m *writes) Left() []string { return m.left }

// wrote shows the outcome of a write and reads everything again.
func (m *Model) wrote(msg screen.Wrote) tea.Cmd {
	m.running--
	if m.writing.Err() != nil {
		m.farewell(msg)
	}
	var conflict *review.RebaseConflict
	switch p, ok := currentOf(m.proposal); {
	case errors.As(msg.Err, &conflict) && ok && p.ID == msg.ID && m.dialog == nil:
		return m.askConflict(p, conflict)
	case msg.Err != nil:
		m.Fail(msg.Err)
		if errors.Is(msg.Err, review.ErrDigest) {
			m.Say(failure, "Nothing decided: it changed since you read it. Reloaded")
		}
		return m.reload()
	}
	m.list().Marks = m.list().Marks.Without(msg.Decided...)
	m.last = last{msg.Undo, true}
	m.Say(success, "%s", told(msg))
	if msg.Open != nil || msg.Made {
		m.known = 0 // what one makes oneself is not news
	}
	cmds := []tea.Cmd{m.reload(), m.dropDraft(msg.Draft)}
	if pp, ok := m.page.Page.(*proposal.Page); msg.Open != nil && (!ok || pp.ID() != msg.Open.ID) {
		if msg.Open.Type == proposals.Restore {
			return tea.Batch(append(cmds, m.OpenUnseen(*msg.Open))...) // what goes live is the diff
		}
		cmds = append(cmds, m.Open(*msg.Open, false))
	}
	return tea.Batch(cmds...)
}

// told reports a write, which key takes it back, and after a decision how it goes on.
func told(msg screen.Wrote) string {
	text := msg.Text
	if msg.Undo != nil {
		text += ". U " + msg.Undo.Says
	}
	if len(msg.Decided) > 0 {
		text += onward
	}
	return text
}

// onward is added to the message of a decision.
const onward = ". Press . for the next"

// signingKey is the key of the channel by which a write asks for a signature.
type signingKey struct{}

// operationKey is the key of the operation of a write: while the user is asked, nobody else is
// waited for.
type operationKey struct{}

// signAsk is a request with the write that waits for its outcome.
type signAsk struct {
	SignRequest
	reply chan error
}

// signMsg asks for a signature; wait answers with the outcome of the write.
type signMsg struct {
	ask  signAsk
	wait tea.Cmd
}

// askToSign has the screen ask. It runs in a write, beside the program loop.
func askToSign(ctx context.Context, r SignRequest) error {
	asks, ok := ctx.Value(signingKey{}).(chan signAsk)
	if !ok {
		return errNotSigned
	}
	if o, ok := ctx.Value(operationKey{}).(*operation); ok {
		o.end()
		defer o.resume()
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
			return signMsg{ask, wait}
		case wrote := <-done:
			return wrote
		}
	}
	return func() tea.Msg {
		go func() { done <- fn(context.WithValue(ctx, signingKey{}, asks)) }()
		return wait()
	}
}

// askSignature opens the dialog that shows who signs what with which key. The key is
// asked only after that.
func (m *writes) askSignature(msg signMsg) tea.Cmd {
	ask := msg.ask
	before := tea.Cmd(nil)
	if d := m.dialog; d != nil { // the key does not wait; the typed text is kept
		before = tea.Batch(m.saveDraft(d), d.decline())
	}
	open := m.Ask(screen.Dialog{
		Form: proposals.Form{Title: "Sign the decision", Verb: "ask the key"},
		Content: func(page *prose.Page) {
			page.Field("signer", ask.Principal)
			page.Field("key", ask.Key)
			page.Field("statement", ask.Statement)
			page.Blank()
			page.Text("", "The key may ask for a touch, a PIN, or a passphrase. Without a signature nothing is decided.")
		},
		Declined: func() tea.Cmd {
			ask.reply <- errNotSigned
			return msg.wait
		},
		Run: func(_ string) tea.Cmd {
			if !ask.Terminal {
				return func() tea.Msg {
					key := m.waits.begin("Waiting for the key to sign")
					err := ask.Run()
					key.end()
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
