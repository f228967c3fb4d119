// Package pending tracks the operations that run outside of the update loop, and names the one
// that takes long.
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

// Operations are the reads and writes that have begun and not ended yet.
type Operations struct {
	now     func() time.Time
	after   func(time.Duration, tea.Msg) tea.Cmd
	ticking bool // the screen is redrawn while something is waited for
	mu      sync.Mutex
	open    []*Operation // in the order in which they began
}

// New returns an empty list of operations. after returns a command that answers with a
// message after a time.
func New(now func() time.Time, after func(time.Duration, tea.Msg) tea.Cmd) *Operations {
	return &Operations{now: now, after: after}
}

// Operation is one of them. done of total tells how far it is; total is 0 where nobody
// knows.
type Operation struct {
	of          *Operations
	what        string
	began       time.Time
	done, total int
}

// Begin notes an operation until its end.
func (p *Operations) Begin(what string) *Operation {
	o := &Operation{of: p, what: what}
	o.Resume()
	return o
}

// Resume notes that the operation goes on, from now on.
func (o *Operation) Resume() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.began, o.of.open = o.of.now(), append(o.of.open, o)
}

// End ends the wait for the operation, for good or until it resumes.
func (o *Operation) End() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.open = slices.DeleteFunc(o.of.open, func(open *Operation) bool { return open == o })
}

// Tell notes how much of the operation is done.
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

// Writing names the operation of a write.
const Writing = "Writing"

// Noted returns read, noted as an operation while it runs; nil for nil.
func Noted[T any, R ~func(context.Context) (T, error)](p *Operations, what string, read R) R {
	if read == nil {
		return nil
	}
	return func(ctx context.Context) (T, error) {
		defer p.Begin(what).End()
		return read(ctx)
	}
}

// Every is the interval at which the screen is redrawn while something runs.
const Every = 100 * time.Millisecond

// Tick is the message that has the screen redrawn while something is waited for.
type Tick struct{}

// Watch returns the command that redraws the screen while operations run, nil while another
// does. It is called at every poll.
func (p *Operations) Watch() tea.Cmd {
	if p.ticking {
		return nil
	}
	return p.Ticked()
}

// Soon returns the command that redraws the screen if something takes long from now on, nil
// while another does.
func (p *Operations) Soon() tea.Cmd {
	if p.ticking {
		return nil
	}
	p.ticking = true
	return p.after(slowFrom, Tick{})
}

// Running reports whether something is waited for.
func (p *Operations) Running() bool {
	_, ok := p.oldest()
	return ok
}

// Ticked returns the command for the next Tick, nil when nothing is waited for.
func (p *Operations) Ticked() tea.Cmd {
	if _, p.ticking = p.oldest(); !p.ticking {
		return nil
	}
	return p.after(Every, Tick{})
}

// slowFrom is how long an operation takes before the screen names it.
const slowFrom = time.Second

// slow returns what has been waited for longest, and whether that is long.
func (p *Operations) slow() (o Operation, elapsed time.Duration, ok bool) {
	o, ok = p.oldest()
	if ok {
		elapsed = p.now().Sub(o.began)
	}
	return o, elapsed, ok && elapsed >= slowFrom
}

// Line names the operation that takes long, how far it is, and since when; nil where
// nothing takes long. blocked reports whether a write waits until another process lets go
// of the database; it may be nil.
func (p *Operations) Line(th theme.Theme, blocked func() bool) draw.Line {
	o, elapsed, ok := p.slow()
	if !ok {
		return nil
	}
	what := draw.Show(o.what)
	if o.what == Writing && blocked != nil && blocked() {
		what = "Waiting to write: another process holds the database"
	}
	l := draw.Of(th.Warn, " "+Spun(elapsed)+" ").Add(th.Text, what)
	if o.total > 0 {
		l = l.Add(th.Text, draw.Showf(": %d of %d", o.done, o.total))
	}
	return l.Add(th.Faint, draw.Showf("  %d s", int(elapsed.Seconds())))
}

// Sign shows that something is written, and that it or a read takes long; nil for
// neither. It stands in the bar.
func (p *Operations) Sign(th theme.Theme, written bool) draw.Line {
	o, elapsed, slow := p.slow()
	word := draw.Safe("reading")
	switch {
	case written:
		word = "writing"
	case !slow:
		return nil
	}
	l := draw.Of(th.Warn, Spun(elapsed)+" "+word)
	if slow && (o.what == Writing || !written) {
		l = l.Add(th.Warn, draw.Showf(" %d s", int(elapsed.Seconds())))
	}
	return l.Add("", "  ")
}

// Spun returns the sign of work that goes on, which turns with the time.
func Spun(elapsed time.Duration) draw.Safe {
	frames := spinner.MiniDot.Frames
	return draw.Safe(frames[int(max(0, elapsed)/Every)%len(frames)])
}
