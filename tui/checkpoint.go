package tui

import (
	"time"

	"toolcrib/tui/draw"
	"toolcrib/tui/wording"
)

// Checkpoint is how far the publication of checkpoints has come.
type Checkpoint struct {
	At        time.Time // of the newest, zero before the first
	Decisions int       // that no published checkpoint has
}

// checkpointSign shows the age of the newest published checkpoint, or how many
// decisions have none.
func (m *Model) checkpointSign() draw.Line {
	if m.cfg.Checkpoint == nil {
		return nil
	}
	switch c := m.cfg.Checkpoint(); {
	case c.Decisions > 0:
		return draw.Of(m.theme.Warn, draw.Showf("! %s without checkpoint  ", wording.Count(c.Decisions, "decision", "decisions")))
	case !c.At.IsZero():
		return draw.Of(m.theme.Faint, draw.Showf("checkpoint %s old  ", wording.Age(m.cfg.Now().Sub(c.At))))
	}
	return nil
}
