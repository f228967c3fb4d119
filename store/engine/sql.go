package engine

import (
	"strconv"
	"strings"
	"unicode"
)

// Clause is a fragment of SQL with its arguments, each of which has a "?". Fragments can be joined in any order;
// Numbered numbers the placeholders of the whole.
type Clause struct {
	SQL  string
	Args []any
}

// Join joins clauses.
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

// Numbered replaces each "?" of a statement by $1, $2, …, which both engines accept. The
// statement must not contain any other question mark.
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

// Cases returns r in every case except the capitals of ASCII, which searched texts do not
// contain.
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

// Placeholders returns a list of n parameters from $first on.
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

// Hints reports whether an engine needs hints to choose indexes, because it has no statistics about the rows. The zero
// value is for an engine with statistics.
type Hints bool

// IndexedBy returns the hint to read a table through an index.
func (h Hints) IndexedBy(index string) string {
	if !h {
		return ""
	}
	return " INDEXED BY " + index
}

// NotIndexed returns the hint to read a table in its own order.
func (h Hints) NotIndexed() string {
	if !h {
		return ""
	}
	return " NOT INDEXED"
}

// Unindexed returns a column or a condition in a form for which no index is used.
func (h Hints) Unindexed(expression string) string {
	if !h {
		return expression
	}
	return "+" + expression
}
