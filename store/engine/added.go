package engine

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of the values of a column.
type Kind int

// Column types. In rows older than the column, the value is "" or 0.
const (
	Text Kind = iota
	Number
)

// Added is a column that a migration adds to a table.
type Added struct {
	Step          int
	Table, Column string
	Kind          Kind
	// Roles lists the PostgreSQL roles that may update only certain columns of the table, including
	// this one.
	Roles []string
}

// Adds reports whether a migration adds a column to an existing table.
func Adds(step int) bool {
	return slices.ContainsFunc(AddedColumns(), func(a Added) bool { return a.Step == step })
}

// ReadSteps returns the migrations in files, named migrations/NUMBER_NAME.sql, and the steps that
// add makes of AddedColumns, ordered by number.
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

// AddedColumns lists the columns that both engines add to existing tables, each in a separate
// migration. Released entries never change. Describe the column of a record with table.Later,
// because the seals of existing rows do not cover it.
func AddedColumns() []Added {
	return []Added{
		{Step: 26, Table: "decisions", Column: "reading"}, // the parts that the decider had read
	}
}

// Statement returns the statement that adds the column. text and number are the engine's types for
// text and numbers.
func (a Added) Statement(text, number string) string {
	values := text + " NOT NULL DEFAULT ''"
	if a.Kind == Number {
		values = number + " NOT NULL DEFAULT 0"
	}
	return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s;\n", a.Table, a.Column, values)
}
