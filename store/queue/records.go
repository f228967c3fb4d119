package queue

import (
	"toolcrib/store/records"
	"toolcrib/store/session"
)

// Records are the records about proposals, with the tables of the queue.
type Records struct {
	records.Reviews
	records.Log
}

// NewRecords returns the records as a session reads and writes them.
func NewRecords(s *session.Session) Records {
	return Records{records.Reviews{Session: s}, records.Log{Session: s}}
}
