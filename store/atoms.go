package store

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/store/engine"
)

// minIndexed is the length in characters from which the trigram index finds a
// substring by itself.
const minIndexed = 3

// matcher writes the conditions of filters for an engine.
type matcher struct {
	Searcher
	hints
}

// maxSpellings bounds the ways to write words that are looked for row by row.
const maxSpellings = 16

// staleRows is the condition for open proposals whose subject moved on.
const staleRows = openStates + " AND p.base_version <> coalesce((SELECT version FROM live WHERE subject = p.subject), 0)"

// riskBlocked is the least risk of a proposal with an open block (the column risk).
const riskBlocked = 10_000_000

// column returns the condition that an atom puts on columns that an index has,
// followed by seq, and whether it does so.
func column(a filter.Atom) (clause, bool) {
	switch a.Is {
	case filter.Number:
		n, _ := strconv.ParseInt(a.Value, 10, 64) // the number of no proposal is 0
		return clause{SQL: "p.issue = ? AND p.issue > 0", Args: []any{n}}, true
	case filter.State:
		return clause{SQL: "p.state = ?", Args: []any{a.Value}}, true
	case filter.Author:
		return clause{SQL: "p.author = ?", Args: []any{a.Value}}, true
	case filter.AuthorKind:
		return clause{SQL: "substr(p.author, 1, instr(p.author, ':')) = ?", Args: []any{a.Value}}, true // as the index has it
	case filter.Subject:
		return clause{SQL: "p.subject = ?", Args: []any{a.Value}}, true
	case filter.Set:
		return clause{SQL: "p.change_set = ? AND p.change_set <> ''", Args: []any{a.Value}}, true
	case filter.Type:
		if a.Value != string(proposals.New) {
			return clause{SQL: "p.type = ? AND p.type <> 'new'", Args: []any{a.Value}}, true
		}
	case filter.Text, filter.ID, filter.SubjectID, filter.Kind, filter.Layer, filter.Rule, filter.Stale, filter.Blocked, filter.Waits:
	}
	return clause{}, false
}

// rowCondition returns the condition that holds of a row p if the atom does.
func (m matcher) rowCondition(a filter.Atom) clause {
	if c, ok := column(a); ok {
		return c
	}
	switch a.Is {
	case filter.Text:
		return m.textCondition(a.Value)
	case filter.ID:
		return clause{SQL: "p.id >= ? AND p.id < ?", Args: []any{a.Value, a.Value + "g"}} // ids are hexadecimal
	case filter.SubjectID:
		kind, id, _ := strings.Cut(a.Value, ":")
		return clause{SQL: "p.subject_id = ? AND p.kind = ?", Args: []any{id, kind}}
	case filter.Kind:
		return clause{SQL: "p.kind = ?", Args: []any{a.Value}}
	case filter.Layer:
		if strings.HasSuffix(a.Value, "/") {
			return clause{SQL: "substr(p.layer, 1, ?) = ?", Args: []any{len(a.Value), a.Value}}
		}
		return clause{SQL: "p.layer = ?", Args: []any{a.Value}}
	case filter.Rule:
		return clause{SQL: "EXISTS (SELECT 1 FROM proposal_rules r WHERE r.proposal = p.seq AND r.rule = ?)", Args: []any{a.Value}}
	case filter.Stale:
		return clause{SQL: "p." + staleRows}
	case filter.Blocked:
		return clause{SQL: "p.risk >= ?", Args: []any{riskBlocked}}
	case filter.Type, filter.Number, filter.State, filter.Author, filter.AuthorKind, filter.Subject, filter.Set, filter.Waits:
	}
	return clause{SQL: "p.type = ?", Args: []any{a.Value}} // new: the only type without an index
}

// textCondition checks each row, or for a text with very many spellings all rows
// that the index finds.
func (m matcher) textCondition(words string) clause {
	switch {
	case strings.ContainsRune(words, 0):
		return clause{SQL: "false"} // no text has it, and the index would stumble over it
	case countSpellings(words) > maxSpellings:
		return m.Contains(words)
	}
	const shown = "lower(p.subject || '\n' || p.title || '\n' || p.author || '\n' || p.change_set)"
	var c clause
	for _, spelling := range spellings(words) {
		c.SQL, c.Args = c.SQL+" OR instr("+shown+", ?) > 0", append(c.Args, spelling)
	}
	c.SQL = strings.TrimPrefix(c.SQL, " OR ")
	return c
}

// rows returns the query that finds the seq of every proposal of which an atom
// holds without looking at others, and whether there is one.
func (m matcher) rows(a filter.Atom) (clause, bool) {
	if c, ok := column(a); ok {
		return clause{SQL: "SELECT p.seq FROM proposals p WHERE " + c.SQL, Args: c.Args}, true
	}
	switch a.Is {
	case filter.Text:
		return m.textRows(a.Value), true
	case filter.ID, filter.SubjectID:
		c := m.rowCondition(a)
		return clause{SQL: "SELECT p.seq FROM proposals p WHERE " + c.SQL, Args: c.Args}, true
	case filter.Kind:
		return clause{SQL: "SELECT p.seq FROM proposals p WHERE p.subject >= ? AND p.subject < ?", Args: []any{a.Value + ":", a.Value + ";"}}, true // ';' comes after ':'
	case filter.Layer:
		return layerRows(strings.TrimSuffix(a.Value, "/") + "/"), true
	case filter.Rule:
		return clause{SQL: "SELECT proposal AS seq FROM proposal_rules WHERE rule = ?", Args: []any{a.Value}}, true
	case filter.Stale:
		return clause{SQL: "SELECT p.seq FROM proposals p" + m.indexedBy("proposals_open") + " WHERE p." + staleRows}, true
	case filter.Blocked:
		states := quoted(proposals.States())
		return clause{SQL: "SELECT p.seq FROM proposals p" + m.indexedBy("proposals_by_risk") + " WHERE p.state IN (" + states + ") AND p.risk >= ?", Args: []any{riskBlocked}}, true
	case filter.Type, filter.Number, filter.State, filter.Author, filter.AuthorKind, filter.Subject, filter.Set, filter.Waits:
	}
	return clause{}, false
}

func quoted(states []proposals.State) string {
	names := make([]string, len(states))
	for i, s := range states {
		names[i] = "'" + string(s) + "'"
	}
	return strings.Join(names, ", ")
}

// textRows asks the index of texts, which may list a proposal several times. Only
// less than a trigram has so few spellings that they can be listed.
func (m matcher) textRows(words string) clause {
	if strings.ContainsRune(words, 0) {
		return clause{SQL: "SELECT seq FROM proposals WHERE false"}
	}
	if utf8.RuneCountInString(words) >= minIndexed {
		return m.Rows(words, nil)
	}
	return m.Rows(words, spellings(words))
}

// layerRows finds what lies in a layer by the beginnings of its subjects.
func layerRows(layer string) clause {
	var all []clause
	for _, kind := range []string{"tool:", "agent:", "list:"} {
		from := kind + layer
		all = append(all, clause{SQL: "SELECT p.seq FROM proposals p WHERE p.subject >= ? AND p.subject < ?", Args: []any{from, strings.TrimSuffix(from, "/") + "0"}}) // '0' comes after '/'
	}
	return join(all, " UNION ALL ")
}

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
