package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Clock is a clock that advances by one microsecond with each reading. Times are therefore distinct, and identical in
// each run. Its methods are safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock that starts at a fixed time in 2026.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.November, 20, 22, 42, 0, 0, time.UTC)}
}

// Now advances the clock and returns its time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Microsecond)
	return c.now
}

// Forward advances the clock by d.
func (c *Clock) Forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// IDs returns a generator of ids that look like UUIDv7 and count from 1. Generators with different series never return
// the same id.
func IDs(series uint16) func() string {
	var last atomic.Uint64
	return func() string { return fmt.Sprintf("01990000-%04x-7000-8000-%012x", series, last.Add(1)) }
}
