package notices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"toolcrib/internal/atomicfile"
)

// Progress is how far the notices of a log are sent to one receiver.
type Progress struct {
	Seq int64 `json:"seq"` // the last event whose notices are sent or given up
	// Failing is there while the receiver takes nothing.
	Failing *Failure `json:"failing,omitempty"`
	// Lost are the latest notices that were given up, the oldest first.
	Lost []Lost `json:"lost,omitempty"`
}

// Failure is since when nothing was received, and why the last time.
type Failure struct {
	Since time.Time `json:"since"`
	Error string    `json:"error"`
}

// Lost is a notice that was given up.
type Lost struct {
	ID      string    `json:"id"`
	Event   Kind      `json:"event"`
	Subject string    `json:"subject"`
	At      time.Time `json:"at"` // of the event
	Error   string    `json:"error"`
}

// A notice is given up when it is this old and nothing was received for as long: one
// that a receiver will never take must not keep all later ones.
const giveUp = 24 * time.Hour

// maxLost bounds how many notices that were given up are remembered.
const maxLost = 20

// failed records that a notice was not received. It reports whether the notice is
// given up.
func (p *Progress) failed(n Notice, err error, now time.Time) bool {
	if p.Failing == nil {
		p.Failing = &Failure{Since: now.UTC()}
	}
	p.Failing.Error = err.Error()
	if now.Sub(p.Failing.Since) < giveUp || now.Sub(n.At) < giveUp {
		return false
	}
	p.Lost = append(p.Lost, Lost{ID: n.ID, Event: n.Event, Subject: n.Subject, At: n.At, Error: err.Error()})
	p.Lost = p.Lost[max(0, len(p.Lost)-maxLost):]
	return true
}

func (c *Courier) file(genesis string) string { return filepath.Join(c.State, genesis+".json") }

// Progress returns how far the notices of the log are sent.
func (c *Courier) Progress(ctx context.Context) (Progress, error) {
	genesis, err := c.genesis(ctx)
	if err != nil || genesis == "" {
		return Progress{}, err
	}
	p, _, err := c.load(genesis)
	return p, err
}

// load returns how far notices are sent. known is false for a log that was never
// looked at.
func (c *Courier) load(genesis string) (p Progress, known bool, err error) {
	text, err := os.ReadFile(c.file(genesis))
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return Progress{}, false, fmt.Errorf("%s: %w; remove it, and notices begin with the next event", c.file(genesis), err)
	}
	return p, true, nil
}

func (c *Courier) save(genesis string, p Progress) error {
	return atomicfile.WriteJSON(c.file(genesis), p)
}
