package engine

import "errors"

// CopyState is the state of the target of a copy.
type CopyState int

// The states of a target.
const (
	CopyBegun    CopyState = iota // its tables are empty
	CopyResumed                   // it has a part of the source
	CopyComplete                  // it is a database of toolcrib's
)

// ErrOtherCopy means that a target has an unfinished copy of another source.
var ErrOtherCopy = errors.New("there is an unfinished copy of another database")
