package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	"toolcrib/internal/plaintext"
	"toolcrib/internal/visible"
)

// lateOutcomes are outcomes of calls that a caller ran itself, to be written together
// after lateFor: a transaction costs more CPU than the rest of a guarded call, and most
// of that is for pages that the next outcome changes, too. The call itself is written
// before it runs, so what a crash takes is an outcome, and the call shows as
// interrupted.
type lateOutcomes struct {
	mu    sync.Mutex
	waits []lateOutcome
	timer *time.Timer
}

type lateOutcome struct {
	call    *prepared
	outcome Outcome
}

// lateFor is how long an outcome waits for others; mostLate is how many wait.
const (
	lateFor  = 100 * time.Millisecond
	mostLate = 256
)

// add keeps an outcome, and has flush called after lateFor. It reports whether too many wait.
func (l *lateOutcomes) add(o lateOutcome, flush func()) (full bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = append(l.waits, o)
	if l.timer == nil {
		l.timer = time.AfterFunc(lateFor, flush)
	} else if len(l.waits) == 1 {
		l.timer.Reset(lateFor)
	}
	return len(l.waits) >= mostLate
}

// take returns the outcomes that wait, for the caller to write.
func (l *lateOutcomes) take() []lateOutcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.waits
	l.waits = nil
	return taken
}

// Conclude records the outcome of an admitted call that its caller ran, and the time
// of which is o.Duration: a moment later, together with those of others. Flush writes
// what waits. An error of recording is a warning.
func (g *Gateway) Conclude(ctx context.Context, a *Admitted, o Outcome) {
	o.Message, o.At = plaintext.Clip(visible.Line(o.Message), maxNoted), g.stamp()
	if a.call.call.Pending != "" { // the user approved it
		g.conclude(ctx, a.call, o, nil)
		return
	}
	if g.late.add(lateOutcome{a.call, o}, func() { g.Flush(context.Background()) }) {
		g.Flush(ctx)
	}
}

// Flush writes the outcomes that wait.
func (g *Gateway) Flush(ctx context.Context) {
	late := g.late.take()
	if len(late) == 0 {
		return
	}
	if err := g.ledger.Log(context.WithoutCancel(ctx), func(tx LedgerTx) error { return enterLate(ctx, tx, late) }); err != nil {
		g.concludeEach(ctx, late)
	}
}

// enterLate appends outcomes that waited.
func enterLate(ctx context.Context, tx LedgerTx, late []lateOutcome) error {
	for _, l := range late {
		if err := tx.AddOutcome(ctx, l.call.call.ID, l.outcome); err != nil {
			return err
		}
	}
	return nil
}

// concludeEach writes outcomes one by one: one of them cannot be written.
func (g *Gateway) concludeEach(ctx context.Context, late []lateOutcome) {
	for _, l := range slices.Clone(late) {
		g.conclude(ctx, l.call, l.outcome, nil)
	}
}
