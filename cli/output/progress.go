package output

import (
	"fmt"
	"io"
	"sync"
	"time"

	"toolcrib/cli/process"
	"toolcrib/tui/draw"
)

// progress tells a person at a terminal how far long work has come, on one line of the
// error output that is gone in the end. A nil progress tells nobody.
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

// Work that is over sooner tells nothing, and the time is updated this often.
const (
	quietFor = 300 * time.Millisecond
	tellTime = 250 * time.Millisecond
)

// progressWidth is how much of a line is used, in cells: what wraps cannot be taken
// back.
const progressWidth = 78

// Progress begins to tell; the caller ends it. It is nil where the error output is no
// terminal that can take a line back, or where lines are read out.
func (a *Printer) Progress() *progress {
	if !a.Env.ErrTerminal || a.Form.JSON || a.Form.Accessible || a.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	p := NewProgress(a.Env)
	p.ended.Go(func() {
		tick := time.NewTicker(tellTime)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.Draw()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// NewProgress returns a progress line that is not drawn by itself.
func NewProgress(env process.Env) *progress {
	return &progress{to: env.Err, now: env.Now, began: env.Now(), stop: make(chan struct{})}
}

// Tell reports how far the work has come; total is 0 when the length is unknown.
func (p *progress) Tell(done, total int64, step string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.step = done, total, step
}

func (p *progress) Draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	took := p.now().Sub(p.began)
	if p.step == "" || took < quietFor {
		return
	}
	p.drawn = true
	_, _ = fmt.Fprintf(p.to, "\r\x1b[K%s", draw.Cut(draw.Show(p.line(took)), progressWidth)) // nobody to tell if it fails
}

// line returns the text of the progress line, such as "Checking files: 120 of 400, 30 %, 2 s".
func (p *progress) line(took time.Duration) string {
	seconds := fmt.Sprintf("%d s", int(took.Seconds()))
	switch {
	case p.total > 0:
		return fmt.Sprintf("%s: %d of %d, %d %%, %s", p.step, p.done, p.total, 100*min(p.done, p.total)/p.total, seconds)
	case p.done > 0:
		return fmt.Sprintf("%s: %d, %s", p.step, p.done, seconds)
	}
	return p.step + ", " + seconds
}

// Clear takes the line back until it is drawn again, for a line of its own below.
func (p *progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		p.drawn = false
		_, _ = io.WriteString(p.to, "\r\x1b[K") // nobody to tell if it fails
	}
}

// End takes the line back. It may be called again.
func (p *progress) End() {
	if p == nil || p.over {
		return
	}
	p.over = true
	close(p.stop)
	p.ended.Wait()
	if p.drawn {
		_, _ = io.WriteString(p.to, "\r\x1b[K") // nobody to tell if it fails
	}
}
