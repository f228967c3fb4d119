package records

import (
	"context"

	"toolcrib/store/session"
)

// ends are the last rows of the tables to which an approval appends. Each transaction reads them in one statement, and
// updates them as it appends.
type ends struct {
	read                bool
	Versions, decisions int64
	event               int64
	hash                string // of the event
	signers             string // hash of the event of the last state of the signers, "" for none
}

// EndsOf returns the ends of the transaction.
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
