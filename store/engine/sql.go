// This file composes statements from fragments of SQL, and defines migrations that add columns.

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

// Clause is a fragment of SQL with a "?" for each argument. Clauses can be joined in any order;
// Numbered numbers the placeholders of the complete statement afterwards.
type Clause struct {
	SQL  string
	Args []any
}

// Join joins clauses and puts sep between them.
func Join(clauses []Clause, sep string) Clause {
	var joined Clause
	for i, c := range clauses {
		if i > 0 {
			joined.SQL += sep
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

// Cases returns all case variants of r except ASCII capitals. Searched texts never contain ASCII
// capitals.
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

// Placeholders returns a comma-separated list of n placeholders, numbered from start.
func Placeholders(start, n int) string {
	b := make([]byte, 0, 6*n)
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '$'), int64(start+i), 10)
	}
	return string(b)
}

// Hints is true for an engine that needs hints to choose indexes because it has no statistics. The
// methods of Hints return the hints. If Hints is false, they return an empty hint.
type Hints bool

// IndexedBy returns the hint that makes a query use the given index for the preceding table.
func (h Hints) IndexedBy(index string) string {
	if !h {
		return ""
	}
	return " INDEXED BY " + index
}

// NotIndexed returns the hint that makes a query scan the preceding table without an index.
func (h Hints) NotIndexed() string {
	if !h {
		return ""
	}
	return " NOT INDEXED"
}

// Unindexed returns expression in a form that prevents the engine from using an index.
func (h Hints) Unindexed(expression string) string {
	if !h {
		return expression
	}
	return "+" + expression
}

// Kind is the type of the values of a column.
type Kind int

// The types of added columns. In rows that are older than the column, the value is "" or 0.
const (
	Text Kind = iota
	Number
)

// Added is a column that a migration adds to an existing table.
type Added struct {
	Step          int
	Table, Column string
	Kind          Kind
	// Roles lists the PostgreSQL roles that are allowed to update only certain columns of the
	// table, including the added column.
	Roles []string
}

// Adds reports whether the migration with the given number adds a column of AddedColumns.
func Adds(step int) bool {
	return slices.ContainsFunc(AddedColumns(), func(a Added) bool { return a.Step == step })
}

// ReadSteps returns the migrations in the files migrations/NUMBER_NAME.sql, and the migrations that
// add returns for the elements of AddedColumns. The result is ordered by number. ReadSteps panics
// if a file is invalid; tests check the embedded files.
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

// AddedColumns returns the columns that both engines add to existing tables. Each column is
// added by a separate migration. Never change an entry that was released. If the table is
// sealed, describe the column with table.Later, because the seals of existing rows do not cover
// it.
func AddedColumns() []Added {
	return []Added{
		{Step: 26, Table: "decisions", Column: "reading"}, // how much of the proposal the decider had read
	}
}

// Statement returns the statement that adds the column. The arguments text and number are the names
// of the engine's types.
func (a Added) Statement(text, number string) string {
	values := text + " NOT NULL DEFAULT ''"
	if a.Kind == Number {
		values = number + " NOT NULL DEFAULT 0"
	}
	return fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s;\n", a.Table, a.Column, values)
}
