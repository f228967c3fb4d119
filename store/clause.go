package store

import (
	"strconv"
	"strings"

	"toolcrib/store/engine"
)

// clause is a piece of SQL with its arguments. Pieces are joined in any order;
// numbered numbers the whole.
type clause = engine.Clause

// numbered returns a statement with $1, $2, … in place of each "?", which its text
// has nowhere else. SQLite and PostgreSQL both take parameters so.
func numbered(query string) string {
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

// placeholders returns a list of n parameters from $first on.
func placeholders(first, n int) string {
	b := make([]byte, 0, 6*n)
	for i := range n {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(append(b, '$'), int64(first+i), 10)
	}
	return string(b)
}

// join joins clauses.
func join(all []clause, between string) clause {
	var joined clause
	for i, c := range all {
		if i > 0 {
			joined.SQL += between
		}
		joined.SQL, joined.Args = joined.SQL+c.SQL, append(joined.Args, c.Args...)
	}
	return joined
}

// hints reports whether an engine needs hints to choose indexes, because it does
// not know the distribution of the rows. The zero value is for one that keeps
// statistics.
type hints bool

// indexedBy has a table read through an index.
func (h hints) indexedBy(index string) string {
	if !h {
		return ""
	}
	return " INDEXED BY " + index
}

// notIndexed has a table read in its own order.
func (h hints) notIndexed() string {
	if !h {
		return ""
	}
	return " NOT INDEXED"
}

// unindexed keeps a column, or a condition, from being looked up in an index.
func (h hints) unindexed(expression string) string {
	if !h {
		return expression
	}
	return "+" + expression
}
