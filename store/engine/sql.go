// This file composes fragments of SQL.

package engine

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"toolcrib/internal/lists"
)

// Clause is a fragment of SQL with a "?" for each argument. Fragments can be joined in any order;
// Numbered numbers the placeholders of the complete statement.
type Clause struct {
	SQL  string
	Args []any
}

// Join joins clauses with the separator between.
func Join(all []Clause, between string) Clause {
	var joined Clause
	for i, c := range all {
		if i > 0 {
			joined.SQL += between
		}
		joined.SQL, joined.Args = joined.SQL+c.SQL, append(joined.Args, c.Args...)
	}
	return joined
}

// Args converts a list to statement arguments.
func Args[T any](list []T) []any { return lists.Map(list, func(v T) any { return v }) }

// Numbered replaces each "?" in a statement by $1, $2, …, which both engines accept. The statement
// must not contain other question marks.
func Numbered(query string) string {
	var b strings.Builder
	b.Grow(len(query) + len(query)/16)
	n := 0
	for {
		before, after, found := strings.Cut(query, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
		query = after
	}
}

// Cases returns all case variants of r except ASCII capitals, which searched texts never contain.
func Cases(r rune) (all []rune) {
	for c := unicode.SimpleFold(r); ; c = unicode.SimpleFold(c) {
		if c < 'A' || c > 'Z' {
			all = append(all, c)
		}
		if c == r {
			return all
		}
	}
}

// Placeholders returns a list of n placeholders that starts at $first.
func Placeholders(first, n int) string {
	b := make([]byte, 0, 6*n)
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '$'), int64(first+i), 10)
	}
	return string(b)
}

// Hints indicates whether an engine needs hints to choose indexes because it has no statistics. The
// zero value is for an engine with statistics.
type Hints bool

// IndexedBy returns the hint to use an index for a table.
func (h Hints) IndexedBy(index string) string {
	if !h {
		return ""
	}
	return " INDEXED BY " + index
}

// NotIndexed returns the hint to scan a table without an index.
func (h Hints) NotIndexed() string {
	if !h {
		return ""
	}
	return " NOT INDEXED"
}

// Unindexed returns an expression in a form that prevents the use of an index.
func (h Hints) Unindexed(expression string) string {
	if !h {
		return expression
	}
	return "+" + expression
}

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
// add makes of AddedColumns, ordered by number. It does not return errors, because tests check that
// the embedded files are complete and valid.
func ReadSteps(files embed.FS, add func(Added) Step) []Step {
	entries, err := files.ReadDir("migrations")
	list := lists.Map(AddedColumns(), add)
	for _, entry := range entries {
		prefix, _, _ := strings.Cut(entry.Name(), "_")
		number, invalid := strconv.Atoi(prefix)
		script, unread := files.ReadFile("migrations/" + entry.Name())
		err = errors.Join(err, invalid, unread)
		list = append(list, Step{Number: number, SQL: string(script)})
	}
	if err != nil {
		panic("migrations: " + err.Error())
	}
	slices.SortFunc(list, func(a, b Step) int { return cmp.Compare(a.Number, b.Number) })
	return list
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
