package engine

import "fmt"

// Kind is the kind of the values of a column.
type Kind int

// The kinds. A row that knows nothing of a column has "" or 0.
const (
	Text Kind = iota
	Number
)

// Added is a column that a step of the schema adds to a table.
type Added struct {
	Step          int
	Table, Column string
	Kind          Kind
	// Roles are those roles of PostgreSQL that may change single columns of the table,
	// this one too.
	Roles []string
}

// AddedColumns lists the columns that both engines add to tables which their migrations
// created, each in a step of its own. An entry that has landed is never changed. For a
// column of a record, which rows from before have no seal over, write migrations instead.
func AddedColumns() []Added {
	return []Added{}
}

// Statement returns the statement that adds the column, whose type is one of those of an
// engine.
func (a Added) Statement(text, number string) string {
	values := text + " NOT NULL DEFAULT ''"
	if a.Kind == Number {
		values = number + " NOT NULL DEFAULT 0"
	}
	return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s;\n", a.Table, a.Column, values)
}
