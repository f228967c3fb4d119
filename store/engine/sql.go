package engine

import (
	"strconv"
	"strings"
	"unicode"
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
