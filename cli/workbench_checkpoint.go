package cli

import (
	"context"
	"sync"

	"toolcrib/tui"
)

// checkpointState keeps how far publication has come, for a screen that does not
// wait.
type checkpointState struct {
	app   *app
	mu    sync.Mutex
	stamp int64
	now   tui.Checkpoint
}

func (s *checkpointState) get() tui.Checkpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// refresh reads it again. It keeps values that cannot be read; doctor reports the
// reason.
func (s *checkpointState) refresh(ctx context.Context) {
	p, err := s.app.checkpointPublisher()
	if err != nil {
		return
	}
	status, err := p.Status(ctx)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = tui.Checkpoint{At: status.At, Decisions: status.Decisions}
}

// changed reports whether a stamp is another one than the last.
func (s *checkpointState) changed(stamp int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.stamp
	s.stamp = stamp
	return stamp != before
}

// watchedRegistry refreshes the state when anything was written, by whatever
// process.
type watchedRegistry struct {
	tui.Registry
	state *checkpointState
}

// Stamp implements tui.Registry.
func (r watchedRegistry) Stamp(ctx context.Context) (int64, error) {
	stamp, err := r.Registry.Stamp(ctx)
	if err == nil && r.state.changed(stamp) {
		r.state.refresh(ctx)
	}
	return stamp, err
}
