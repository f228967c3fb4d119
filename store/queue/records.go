package queue

import (
	"toolcrib/store/records"
	"toolcrib/store/session"
)

// Records reads and writes the records about proposals, including the tables of this package.
type Records struct {
	records.Reviews
	records.Log
}

// NewRecords returns the Records of a session.
func NewRecords(s *session.Session) Records {
	return Records{records.Reviews{Session: s}, records.Log{Session: s}}
}
