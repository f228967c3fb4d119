// This file runs the workbench on a terminal over SSH, and signs the decisions that users make on the screen.

package workbench

import (
	"bytes"
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/signature"
	"toolcrib/gateway"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/statement"
	"toolcrib/tui"
)

// disconnectTimeout is the maximum time that a workbench has to finish its writes after the client has disconnected.
const disconnectTimeout = 2 * time.Second

// runRemote runs the workbench on a remote terminal until the user quits or the client disconnects. It does not
// handle signals.
func runRemote(ctx context.Context, a *command.App, m *tui.Model, width, height int) error {
	a.Remote.Ran("workbench")
	over := make(chan struct{})
	defer close(over)
	limited := newLimitedKeyboard(a.Keyboard)
	keyboard := process.ReaderFunc(func(p []byte) (int, error) {
		n, err := limited.Read(p)
		if err != nil {
			<-over // wait, because writes may still be in progress
		}
		return n, err
	})
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithInput(keyboard), tea.WithOutput(a.Stdout),
		tea.WithEnvironment(a.Remote.Environ), tea.WithColorProfile(colorprofile.Env(a.Remote.Environ)), tea.WithFPS(framesPerSecond), tea.WithWindowSize(width, height))
	running, end := context.WithCancel(ctx)
	defer end()
	go a.Remote.Resized(running, func(width, height int) { program.Send(tea.WindowSizeMsg{Width: width, Height: height}) })
	kill := time.AfterFunc(time.Hour, program.Kill)
	kill.Stop()
	defer context.AfterFunc(ctx, func() {
		kill.Reset(disconnectTimeout)
		program.Send(tui.Terminate{})
	})()
	_, err := program.Run()
	kill.Stop()
	return leave(ctx, a, m, err)
}

// Marks at the start and the end of a bracketed paste (xterm, mode 2004). An end mark without a start mark has no
// effect.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Limits for the input from a remote terminal. They are necessary because the event reader of Bubble Tea buffers
// pastes and unknown sequences without a limit.
const (
	maxTyped   = 1 << 20                // maximum number of bytes in a paste
	longTyped  = 64 << 10               // number of bytes after which a pause ends a paste
	maxBehind  = 16 << 10               // maximum number of bytes of keys that wait for the workbench
	typingRest = 500 * time.Millisecond // minimum duration of a pause in typing
	keyRest    = 10 * time.Millisecond  // after a pause of this duration, the workbench has processed all keys
	readerRest = 200 * time.Millisecond // time after which the event reader discards an unknown sequence
)

// limitedKeyboard is a reader that limits how much input the event reader buffers. It ends a paste that is too long,
// and drops the rest of the paste, which the event reader would otherwise interpret as keys. It also drops keys that
// arrive faster than the workbench can process them, because each key draws a frame.
type limitedKeyboard struct {
	from io.Reader
	now  func() time.Time
	rest func() // waits for readerRest

	typed    int    // bytes passed on since the last inserted end mark
	behind   int    // bytes outside of pastes since the last pause
	tail     string // last bytes of the input, which may be the beginning of a mark
	pasting  bool   // whether the last mark was a start mark; a malicious client can send marks at any time
	dropping bool
	out      []byte // bytes that the next Read returns
	buf      [4 << 10]byte
}

func newLimitedKeyboard(from io.Reader) *limitedKeyboard {
	return &limitedKeyboard{from: from, now: time.Now, rest: func() { <-time.After(readerRest) }}
}

// Read implements io.Reader.
func (k *limitedKeyboard) Read(p []byte) (int, error) {
	for len(k.out) == 0 {
		began := k.now()
		n, err := k.from.Read(k.buf[:])
		if n > 0 {
			k.take(k.buf[:n], k.now().Sub(began))
		}
		if err != nil && len(k.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, k.out)
	k.out = k.out[n:]
	return n, nil
}

// take processes input that was read. waited is the duration of the read. A long duration means that the user paused,
// because the read of input that is already available takes almost no time.
func (k *limitedKeyboard) take(came []byte, waited time.Duration) {
	if waited >= keyRest {
		k.behind = 0
	}
	if waited >= typingRest && !k.pasting {
		k.dropping = false
		if k.typed >= longTyped {
			k.end()
		}
	}
	for {
		n, found := k.mark(came)
		k.pass(came[:n])
		if !found {
			return
		}
		came = came[n:]
		k.dropping = k.dropping && k.pasting // stop dropping input after the end of a paste
	}
}

// mark looks for the next start or end mark in data and, if it finds a mark, toggles k.pasting. n is the number of
// bytes of data up to and including the mark, or len(data) if found is false.
func (k *limitedKeyboard) mark(data []byte) (n int, found bool) {
	all := append([]byte(k.tail), data...)
	mark := pasteStart
	if k.pasting {
		mark = pasteEnd
	}
	at := bytes.Index(all, []byte(mark))
	if at < 0 {
		k.tail = string(all[max(0, len(all)-len(mark)+1):])
		return len(data), false
	}
	n = at + len(mark) - len(k.tail)
	k.tail = ""
	k.pasting = !k.pasting
	return n, true
}

// pass adds data to the output. If a limit is exceeded, it ends the paste and drops data instead.
func (k *limitedKeyboard) pass(data []byte) {
	if k.pasting {
		k.behind = 0
	} else {
		k.behind += len(data)
	}
	switch {
	case k.dropping:
	case k.typed+len(data) <= maxTyped && k.behind <= maxBehind:
		k.typed += len(data)
		k.out = append(k.out, data...)
	default:
		k.rest()
		k.end()
		k.dropping = true
	}
}

// end inserts an end mark, which ends a paste that the event reader may be buffering.
func (k *limitedKeyboard) end() {
	k.out = append(k.out, pasteEnd...)
	k.typed = 0
}

// screenSigner implements tui.Signer. It signs the decisions that users make on the screen.
type screenSigner struct {
	app   *command.App
	desk  *service.Desk
	calls *gateway.Gateway
	actor proposals.Actor
}

// Decide implements tui.Signer.
func (s screenSigner) Decide(ctx context.Context, act proposals.Act, choices []review.Choice, note string, ask tui.AskToSign) (tui.Decider, error) {
	return s.decider(ctx, ask, func() ([]byte, error) {
		return s.desk.Deciding.Prepare(ctx, s.actor, choices, proposals.VerdictOf(act), note)
	})
}

// Waive implements tui.Signer.
func (s screenSigner) Waive(ctx context.Context, act proposals.Act, id proposals.ID, handle, reason string, ask tui.AskToSign) (tui.Decider, error) {
	return s.decider(ctx, ask, func() ([]byte, error) {
		if act == proposals.ActUnwaive {
			return s.desk.Deciding.PrepareUnwaive(ctx, s.actor, id, handle, reason)
		}
		return s.desk.Deciding.PrepareWaiver(ctx, s.actor, id, handle, reason, nil)
	})
}

func (s screenSigner) decider(ctx context.Context, ask tui.AskToSign, prepare func() ([]byte, error)) (tui.Decider, error) {
	signed, err := s.sign(ctx, ask, prepare)
	if err != nil || signed == nil {
		return s.desk.Deciding, err
	}
	return s.desk.Signed(*signed).Deciding, nil
}

// Answer implements tui.Signer.
func (s screenSigner) Answer(ctx context.Context, p gateway.Pending, approve bool, reason string, ask tui.AskToSign) (tui.Answerer, error) {
	expect := ""
	if approve {
		expect = p.Digest
	}
	signed, err := s.sign(ctx, ask, func() ([]byte, error) { return s.calls.PrepareAnswer(ctx, s.actor, p.ID, expect, approve, reason) })
	if err != nil || signed == nil {
		return s.calls, err
	}
	return s.calls.Signed(*signed), nil
}

// sign lets the user sign the statement that prepare returns, and returns the signed statement. It returns nil if no
// signature is necessary.
func (s screenSigner) sign(ctx context.Context, ask tui.AskToSign, prepare func() ([]byte, error)) (*proof.Signed, error) {
	needed, err := signature.Signs(ctx, s.app, signature.Flags{})
	if err != nil || !needed {
		return nil, err
	}
	text, err := prepare()
	if err != nil {
		return nil, err
	}
	key, err := signature.SigningKey(ctx, s.app, s.actor, "")
	if err != nil {
		return nil, err
	}
	var signed *proof.Signed
	err = ask(ctx, tui.SignRequest{
		Principal: s.actor.String(), Key: signature.KeyName(key), Statement: statement.Sum(text)[:12], Terminal: !key.InAgent(),
		Run: func() (err error) {
			signed, err = signature.SignQuietly(ctx, s.app, key, text)
			return err
		},
	})
	return signed, err
}

// checkpointRegistry is a tui.Registry that also refreshes the cached status of checkpoints when it notices a change
// of the database.
type checkpointRegistry struct {
	tui.Registry
	state *checkpoints.Watch
}

// Stamp implements tui.Registry.
func (r checkpointRegistry) Stamp(ctx context.Context) (int64, error) {
	stamp, err := r.Registry.Stamp(ctx)
	if err == nil && r.state.Changed(stamp) {
		r.state.Refresh(ctx)
	}
	return stamp, err
}
