package engine

import "toolcrib/review/overlap"

// Use is the purpose of a connection: reading, writing, or logging.
type Use int

// The uses of connections.
const (
	Read  Use = iota // snapshots; the engine refuses writes
	Write            // transactions that are on the disk when COMMIT returns
	Log              // transactions that a power cut may take back
	Audit            // snapshots that are read from one end to the other
)

// Clause is a piece of SQL with its arguments, for each of which it has a "?".
type Clause struct {
	SQL  string
	Args []any
}

// Source is the FROM clause of a selection of proposals, in which the table is p,
// the column with p.seq, and the WHERE condition.
type Source struct {
	From  string
	Seq   string
	Where Clause
}

// Step is one step of a schema.
type Step struct {
	Number int
	SQL    string // "" for the seed
}

// Nearness is a query of near-duplicate detection: the sketches of a tool's text and
// of its purpose, the least share of each, and the largest number of results.
type Nearness struct {
	Text, Purpose           overlap.Sketch
	LeastText, LeastPurpose float64
	Most                    int
}

// Check is a query that returns the keys of damaged rows of a table, and the
// sentence that describes the damage.
type Check struct {
	Table, Query, Message string
}
