package records

import (
	"context"

	"toolcrib/store/session"
)

// ends holds the last rows of the tables that an approval appends to. A transaction reads them once, in one statement,
// and updates them as it appends.
type ends struct {
	read                bool
	Versions, decisions int64
	event               int64
	hash                string // of the last event
	signers             string // hash of the event that recorded the latest signers, or ""
}

// EndsOf returns the ends for the current transaction of s.
func EndsOf(ctx context.Context, s *session.Session) (*ends, error) {
	e := session.Within[ends](s)
	if e.read {
		return e, nil
	}
	err := s.Row(ctx, `SELECT coalesce((SELECT max(seq) FROM versions), 0), coalesce((SELECT max(seq) FROM decisions), 0),
		coalesce((SELECT max(seq) FROM events), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), ''), coalesce((`+LastSigners+`), '')`,
		nil, &e.Versions, &e.decisions, &e.event, &e.hash, &e.signers)
	e.read = err == nil
	return e, err
}
