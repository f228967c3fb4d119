package linear

import "toolcrib/tui/wording"

// sayCheckpoint reads out how far the publication of checkpoints has come, where
// they are published.
func (s *session) sayCheckpoint() {
	if s.cfg.Checkpoint == nil {
		return
	}
	switch c := s.cfg.Checkpoint(); {
	case c.Decisions > 0:
		s.out.linef("%s without a published checkpoint.", wording.Count(c.Decisions, "decision is", "decisions are"))
	case !c.At.IsZero():
		s.out.linef("The newest checkpoint is %s old.", wording.Age(s.cfg.Now().Sub(c.At)))
	}
}
