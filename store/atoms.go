package store

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolcrib/proposals"
	"toolcrib/proposals/filter"
)

// minIndexed is the length in characters from which the trigram index finds a
// substring by itself.
const minIndexed = 3

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
		return clause{"p.issue = ? AND p.issue > 0", []any{n}}, true
	case filter.State:
		return clause{"p.state = ?", []any{a.Value}}, true
	case filter.Author:
		return clause{"p.author = ?", []any{a.Value}}, true
	case filter.AuthorKind:
		return clause{"substr(p.author, 1, instr(p.author, ':')) = ?", []any{a.Value}}, true // as the index has it
	case filter.Subject:
		return clause{"p.subject = ?", []any{a.Value}}, true
	case filter.Set:
		return clause{"p.change_set = ? AND p.change_set <> ''", []any{a.Value}}, true
	case filter.Type:
		if a.Value != string(proposals.New) {
			return clause{"p.type = ? AND p.type <> 'new'", []any{a.Value}}, true
		}
	case filter.Text, filter.ID, filter.SubjectID, filter.Kind, filter.Layer, filter.Rule, filter.Stale, filter.Blocked, filter.Waits:
	}
	return clause{}, false
}

// rowCondition returns the condition that holds of a row p if the atom does.
func rowCondition(a filter.Atom) clause {
	if c, ok := column(a); ok {
		return c
	}
	switch a.Is {
	case filter.Text:
		return textCondition(a.Value)
	case filter.ID:
		return clause{"p.id >= ? AND p.id < ?", []any{a.Value, a.Value + "g"}} // ids are hexadecimal
	case filter.SubjectID:
		kind, id, _ := strings.Cut(a.Value, ":")
		return clause{"p.subject_id = ? AND p.kind = ?", []any{id, kind}}
	case filter.Kind:
		return clause{"p.kind = ?", []any{a.Value}}
	case filter.Layer:
		if strings.HasSuffix(a.Value, "/") {
			return clause{"substr(p.layer, 1, ?) = ?", []any{len(a.Value), a.Value}}
		}
		return clause{"p.layer = ?", []any{a.Value}}
	case filter.Rule:
		return clause{"EXISTS (SELECT 1 FROM proposal_rules r WHERE r.proposal = p.seq AND r.rule = ?)", []any{a.Value}}
	case filter.Stale:
		return clause{"p." + staleRows, nil}
	case filter.Blocked:
		return clause{"p.risk >= ?", []any{riskBlocked}}
	case filter.Type, filter.Number, filter.State, filter.Author, filter.AuthorKind, filter.Subject, filter.Set, filter.Waits:
	}
	return clause{"p.type = ?", []any{a.Value}} // new: the only type without an index
}

// textCondition looks at each row, or for what has very many spellings at all rows
// that the index finds.
func textCondition(words string) clause {
	switch {
	case strings.ContainsRune(words, 0):
		return clause{"false", nil} // no text has it, and the index would stumble over it
	case countSpellings(words) > maxSpellings:
		return clause{"p.seq IN (SELECT rowid FROM proposals_text WHERE proposals_text MATCH ?)", []any{quoteFTS(words)}}
	}
	const shown = "lower(p.subject || '\n' || p.title || '\n' || p.author || '\n' || p.change_set)"
	var c clause
	for _, spelling := range spellings(words) {
		c.sql, c.args = c.sql+" OR instr("+shown+", ?) > 0", append(c.args, spelling)
	}
	c.sql = strings.TrimPrefix(c.sql, " OR ")
	return c
}

// rows returns the query that finds the seq of every proposal of which an atom
// holds without looking at others, and whether there is one.
func (h hints) rows(a filter.Atom) (clause, bool) {
	if c, ok := column(a); ok {
		return clause{"SELECT p.seq FROM proposals p WHERE " + c.sql, c.args}, true
	}
	switch a.Is {
	case filter.Text:
		return textRows(a.Value), true
	case filter.ID, filter.SubjectID:
		c := rowCondition(a)
		return clause{"SELECT p.seq FROM proposals p WHERE " + c.sql, c.args}, true
	case filter.Kind:
		return clause{"SELECT p.seq FROM proposals p WHERE p.subject >= ? AND p.subject < ?", []any{a.Value + ":", a.Value + ";"}}, true // ';' comes after ':'
	case filter.Layer:
		return layerRows(strings.TrimSuffix(a.Value, "/") + "/"), true
	case filter.Rule:
		return clause{"SELECT proposal AS seq FROM proposal_rules WHERE rule = ?", []any{a.Value}}, true
	case filter.Stale:
		return clause{"SELECT p.seq FROM proposals p" + h.indexedBy("proposals_open") + " WHERE p." + staleRows, nil}, true
	case filter.Blocked:
		states := quoted(proposals.States())
		return clause{"SELECT p.seq FROM proposals p" + h.indexedBy("proposals_by_risk") + " WHERE p.state IN (" + states + ") AND p.risk >= ?", []any{riskBlocked}}, true
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

// textRows asks the index of texts; for less than a trigram, for the trigrams that
// begin with it, which may list a proposal several times.
func textRows(words string) clause {
	switch {
	case strings.ContainsRune(words, 0):
		return clause{"SELECT seq FROM proposals WHERE false", nil}
	case utf8.RuneCountInString(words) >= minIndexed:
		return clause{"SELECT rowid AS seq FROM proposals_text WHERE proposals_text MATCH ?", []any{quoteFTS(words)}}
	}
	var all []clause
	for _, spelling := range spellings(words) {
		all = append(all, clause{"SELECT doc AS seq FROM proposals_terms WHERE term >= ? AND term <= ?", []any{spelling, afterAll(spelling)}})
	}
	return join(all, " UNION ALL ")
}

// layerRows finds what lies in a layer by the beginnings of its subjects.
func layerRows(layer string) clause {
	var all []clause
	for _, kind := range []string{"tool:", "agent:", "list:"} {
		from := kind + layer
		all = append(all, clause{"SELECT p.seq FROM proposals p WHERE p.subject >= ? AND p.subject < ?", []any{from, strings.TrimSuffix(from, "/") + "0"}}) // '0' comes after '/'
	}
	return join(all, " UNION ALL ")
}
