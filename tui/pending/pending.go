// Package pending tracks the operations that run outside the update loop, and shows slow operations to the
// user.
package pending

import (
	"context"
	"slices"
	"sync"
	"time"

	"charm.land/bubbles/v2/spinner"
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Operations tracks the reads and writes that are running.
type Operations struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	ticking bool // a Tick message has been scheduled
	mu      sync.Mutex
	open    []*Operation // oldest first
}

// New returns an empty list of operations. delay returns a command that sends a message after the given time.
func New(now func() time.Time, delay func(time.Duration, tea.Msg) tea.Cmd) *Operations {
	return &Operations{now: now, after: delay}
}

// Operation is a running read or write. done is the number of completed steps, and total is the number of all
// steps, or 0 if it is unknown.
type Operation struct {
	of          *Operations
	what        string
	began       time.Time
	done, total int
}

// Begin records the start of an operation. label describes the operation to the user.
func (p *Operations) Begin(label string) *Operation {
	o := &Operation{of: p, what: label}
	o.Resume()
	return o
}

// Resume adds the operation to the list again and restarts its clock.
func (o *Operation) Resume() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.began, o.of.open = o.of.now(), append(o.of.open, o)
}

// End removes the operation from the list. Resume can add it again.
func (o *Operation) End() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.open = slices.DeleteFunc(o.of.open, func(open *Operation) bool { return open == o })
}

// Tell records the progress of the operation.
func (o *Operation) Tell(done, total int) {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.done, o.total = done, total
}

// oldest returns the operation that began first.
func (p *Operations) oldest() (o Operation, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) == 0 {
		return Operation{}, false
	}
	return *p.open[0], true
}

// Writing is the label of a write.
const Writing = "Writing"

// Tracked returns a function that calls read and tracks the call as an operation. If read is nil, Tracked
// returns nil.
func Tracked[T any, R ~func(context.Context) (T, error)](p *Operations, label string, read R) R {
	if read == nil {
		return nil
	}
	return func(ctx context.Context) (T, error) {
		defer p.Begin(label).End()
		return read(ctx)
	}
}

// Every is the interval between redraws while an operation runs.
const Every = 100 * time.Millisecond

// Tick is a message that redraws the screen while an operation runs.
type Tick struct{}

// Watch returns a command that starts the redraws. It returns nil if a redraw is already scheduled or no
// operation is running. It is called at every poll.
func (p *Operations) Watch() tea.Cmd {
	if p.ticking {
		return nil
	}
	return p.Ticked()
}

// Soon returns a command that redraws the screen after slowAfter, when an operation that begins now would
// become slow. It returns nil if a redraw is already scheduled.
func (p *Operations) Soon() tea.Cmd {
	if p.ticking {
		return nil
	}
	p.ticking = true
	return p.after(slowAfter, Tick{})
}

// Running reports whether any operation is running.
func (p *Operations) Running() bool {
	_, ok := p.oldest()
	return ok
}

// Ticked returns the command for the next Tick, or nil if no operation is running.
func (p *Operations) Ticked() tea.Cmd {
	if _, p.ticking = p.oldest(); !p.ticking {
		return nil
	}
	return p.after(Every, Tick{})
}

// slowAfter is the age of an operation at which it is shown as slow.
const slowAfter = time.Second

// slow returns the oldest operation and its age. ok is false if this operation is not slow yet.
func (p *Operations) slow() (o Operation, elapsed time.Duration, ok bool) {
	o, ok = p.oldest()
	if ok {
		elapsed = p.now().Sub(o.began)
	}
	return o, elapsed, ok && elapsed >= slowAfter
}

// Line draws the label, the progress, and the age of the oldest operation. It returns nil if this operation
// is not slow yet. blocked reports whether a write is waiting for another process to release the database; it
// may be nil.
func (p *Operations) Line(th theme.Theme, blocked func() bool) draw.Line {
	o, elapsed, ok := p.slow()
	if !ok {
		return nil
	}
	what := draw.Escape(o.what)
	if o.what == Writing && blocked != nil && blocked() {
		what = "Waiting to write: another process is using the database"
	}
	l := draw.Of(th.Warn, " "+SpinnerFrame(elapsed)+" ").Add(th.Text, what)
	if o.total > 0 {
		l = l.Add(th.Text, draw.Escapef(": %d of %d", o.done, o.total))
	}
	return l.Add(th.Faint, draw.Escapef("  %d s", int(elapsed.Seconds())))
}

// Sign draws the sign in the bar for a running write or a slow read. written reports whether a write is
// running. Sign returns nil if no write is running and no read is slow.
func (p *Operations) Sign(th theme.Theme, written bool) draw.Line {
	o, elapsed, slow := p.slow()
	word := draw.Safe("reading")
	switch {
	case written:
		word = "writing"
	case !slow:
		return nil
	}
	l := draw.Of(th.Warn, SpinnerFrame(elapsed)+" "+word)
	if slow && (o.what == Writing || !written) {
		l = l.Add(th.Warn, draw.Escapef(" %d s", int(elapsed.Seconds())))
	}
	return l.Add("", "  ")
}

// SpinnerFrame returns the frame that the spinner shows after the given time.
func SpinnerFrame(elapsed time.Duration) draw.Safe {
	frames := spinner.MiniDot.Frames
	return draw.Safe(frames[int(max(0, elapsed)/Every)%len(frames)])
}
