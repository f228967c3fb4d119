// This file shows the progress of long operations.

package output

import (
	"fmt"
	"io"
	"sync"
	"time"

	"toolcrib/tui/draw"
)

// progress shows the progress of a long operation in a line on standard error, and erases the line at the end. All
// methods do nothing if the receiver is nil.
type progress struct {
	to    io.Writer
	now   func() time.Time
	began time.Time
	stop  chan struct{}
	ended sync.WaitGroup

	mu          sync.Mutex
	done, total int64
	step        string
	drawn, over bool
}

// progressDelay is the time after which the line is drawn for the first time. progressInterval is the time between
// updates.
const (
	progressDelay    = 300 * time.Millisecond
	progressInterval = 250 * time.Millisecond
)

// Tell is a function that reports progress; see progress.Tell.
type Tell func(done, total int64, step string)

// progressWidth is the maximum width of the line in terminal cells. The line must not wrap, because progress erases
// only a single line.
const progressWidth = 78

// Progress starts a progress line. The caller must call End. Progress returns nil if the output is JSON, if a screen
// reader reads the output, or if standard error is not a terminal that can erase lines.
func (a *Printer) Progress() *progress {
	if !a.Env.ErrTerminal || a.Form.JSON || a.Form.Accessible || a.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	p := &progress{to: a.Env.Err, now: a.Env.Now, began: a.Env.Now(), stop: make(chan struct{})}
	p.ended.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// Tell updates the progress. done is the amount of completed work, total is the total amount of work (0 if unknown),
// and step describes the current step.
func (p *progress) Tell(done, total int64, step string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.step = done, total, step
}

func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(p.began)
	if p.step == "" || took < progressDelay {
		return
	}
	p.drawn = true
	line := p.step // the result is, for example, "Checking files: 120 of 400, 30 %, 2 s"
	switch {
	case p.total > 0:
		line += fmt.Sprintf(": %d of %d, %d %%", p.done, p.total, 100*min(p.done, p.total)/p.total)
	case p.done > 0:
		line += fmt.Sprintf(": %d", p.done)
	}
	line += fmt.Sprintf(", %d s", int(took.Seconds()))
	_, _ = fmt.Fprintf(p.to, "\r\x1b[K%s", draw.Cut(draw.Escape(line), progressWidth))
}

// Clear erases the line until the next update draws it again.
func (p *progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.drawn = false
		_, _ = io.WriteString(p.to, "\r\x1b[K")
	}
}

// End erases the line and stops the updates. Further calls have no effect.
func (p *progress) End() {
	if p == nil || p.over {
		return
	}
	p.over = true
	close(p.stop)
	p.ended.Wait()
	p.Clear()
}
