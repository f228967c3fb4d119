package engine

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of the values of a column.
type Kind int

// The kinds of columns. Rows from before the column have "" or 0.
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

// Adds reports whether a step adds a column to a table that an earlier step created.
func Adds(step int) bool {
	return slices.ContainsFunc(AddedColumns(), func(a Added) bool { return a.Step == step })
}

// ReadSteps returns the steps of the schema in files, migrations/NUMBER_NAME.sql, and those
// that add columns, which add makes, in the order of their numbers.
func ReadSteps(files fs.ReadFileFS, add func(Added) Step) ([]Step, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var list []Step
	for _, name := range names {
		prefix, _, _ := strings.Cut(strings.TrimPrefix(name, "migrations/"), "_")
		number, err := strconv.Atoi(prefix)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		script, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Step{Number: number, SQL: string(script)})
	}
	for _, a := range AddedColumns() {
		list = append(list, add(a))
	}
	slices.SortFunc(list, func(a, b Step) int { return cmp.Compare(a.Number, b.Number) })
	return list, nil
}

// AddedColumns lists the columns that both engines add to tables of earlier migrations, each in a separate step.
// Released entries never change. The column of a record is described with table.Later, because the seals of earlier
// rows do not cover it.
func AddedColumns() []Added {
	return []Added{
		{Step: 26, Table: "decisions", Column: "reading"}, // the parts that the decider had read
	}
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
