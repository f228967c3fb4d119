// This file translates the single conditions (atoms) of a filter to SQL.

package queue

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
	"toolcrib/store/engine"
	"toolcrib/store/session"
)

// minIndexed is the minimum length, in characters, of a text that the trigram index can find.
const minIndexed = 3

// matcher translates filters to the SQL of an engine.
type matcher struct {
	session.Searcher
	engine.Hints
}

// maxSpellings is the maximum number of case variants of a text for which textCondition checks
// each row.
const maxSpellings = 16

// staleRows is the condition for open proposals with a base version that is no longer live.
const staleRows = openStates + " AND p.base_version <> coalesce((SELECT version FROM live WHERE subject = p.subject), 0)"

// lookup contains the ways to find the proposals that match an atom.
type lookup struct {
	row     engine.Clause // condition on a row with the alias p
	ordered bool          // an index contains the columns of row, followed by seq
	rows    engine.Clause // statement that finds the seq of each match using only indexes; zero if there is none
}

// indexed returns a lookup for a condition that an index supports.
func indexed(row string, args ...any) lookup {
	return lookup{row: engine.Clause{SQL: row, Args: args}, rows: engine.Clause{SQL: "SELECT p.seq FROM proposals p WHERE " + row, Args: args}}
}

// ordered returns a lookup for a condition that is supported by an index on the columns of the
// condition, followed by seq.
func ordered(row string, args ...any) lookup {
	l := indexed(row, args...)
	l.ordered = true
	return l
}

// lookup returns the lookup for the atom a.
func (m matcher) lookup(a facts.Atom) lookup {
	v := a.Value
	switch a.Is {
	case facts.Text:
		// The text index can return a proposal several times. There is no row condition, because
		// it is expensive; see textCondition.
		switch {
		case strings.ContainsRune(v, 0):
			return lookup{rows: engine.Clause{SQL: "SELECT seq FROM proposals WHERE false"}}
		case utf8.RuneCountInString(v) >= minIndexed:
			return lookup{rows: m.Rows(v, nil)}
		}
		return lookup{rows: m.Rows(v, spellings(v))} // a text this short has few spellings
	case facts.Number:
		n, _ := strconv.ParseInt(v, 10, 64) // n is 0 if v is not a number; no proposal has the number 0
		return ordered("p.issue = ? AND p.issue > 0", n)
	case facts.ID:
		return indexed("p.id >= ? AND p.id < ?", v, v+"g") // ids are hexadecimal, and 'g' comes after 'f'
	case facts.State:
		return ordered("p.state = ?", v)
	case facts.Type:
		if v == string(proposals.New) { // the only type without an index
			return lookup{row: engine.Clause{SQL: "p.type = ?", Args: []any{v}}}
		}
		return ordered("p.type = ? AND p.type <> 'new'", v)
	case facts.Author:
		return ordered("p.author = ?", v)
	case facts.AuthorKind:
		return ordered("substr(p.author, 1, instr(p.author, ':')) = ?", v) // must equal the expression of the index
	case facts.Subject:
		return ordered("p.subject = ?", v)
	case facts.SubjectID:
		kind, id, _ := strings.Cut(v, ":")
		return indexed("p.subject_id = ? AND p.kind = ?", id, kind)
	case facts.Kind:
		found := indexed("p.subject >= ? AND p.subject < ?", v+":", v+";") // ';' comes after ':'
		found.row = engine.Clause{SQL: "p.kind = ?", Args: []any{v}}
		return found
	case facts.Layer:
		var kinds []engine.Clause
		for _, kind := range registry.SubjectKinds() { // the range of subjects of each kind
			from := string(kind) + ":" + strings.TrimSuffix(v, "/")
			kinds = append(kinds, engine.Clause{SQL: "SELECT p.seq FROM proposals p WHERE p.subject >= ? AND p.subject < ?", Args: []any{from + "/", from + "0"}}) // '0' comes after '/'
		}
		rows := engine.Join(kinds, " UNION ALL ")
		if strings.HasSuffix(v, "/") {
			return lookup{row: engine.Clause{SQL: "substr(p.layer, 1, ?) = ?", Args: []any{len(v), v}}, rows: rows}
		}
		return lookup{row: engine.Clause{SQL: "p.layer = ?", Args: []any{v}}, rows: rows}
	case facts.Set:
		return ordered("p.change_set = ? AND p.change_set <> ''", v)
	case facts.Rule:
		return lookup{
			row:  engine.Clause{SQL: "EXISTS (SELECT 1 FROM proposal_rules r WHERE r.proposal = p.seq AND r.rule = ?)", Args: []any{v}},
			rows: engine.Clause{SQL: "SELECT proposal AS seq FROM proposal_rules WHERE rule = ?", Args: []any{v}},
		}
	case facts.Stale:
		return lookup{row: engine.Clause{SQL: "p." + staleRows}, rows: engine.Clause{SQL: "SELECT p.seq FROM proposals p" + m.IndexedBy("proposals_open") + " WHERE p." + staleRows}}
	case facts.Blocked:
		states := lists.Map(proposals.States(), func(s proposals.State) string { return "'" + string(s) + "'" })
		blocked := engine.Clause{SQL: "p.risk >= ?", Args: []any{10_000_000}} // minimum risk of a proposal with an open blocking finding
		return lookup{row: blocked, rows: engine.Clause{
			SQL:  "SELECT p.seq FROM proposals p" + m.IndexedBy("proposals_by_risk") + " WHERE p.state IN (" + strings.Join(states, ", ") + ") AND " + blocked.SQL,
			Args: blocked.Args,
		}}
	case facts.Unread:
		const live = " JOIN decisions d ON d.proposal = v.proposal AND d.verdict = 'approved' AND d.shown = 'not_shown'"
		return lookup{
			row:  engine.Clause{SQL: "EXISTS (SELECT 1 FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version" + live + " WHERE l.subject = p.subject AND v.proposal = p.id)"},
			rows: engine.Clause{SQL: "SELECT p.seq FROM live l JOIN versions v ON v.subject = l.subject AND v.number = l.version" + live + " JOIN proposals p ON p.id = v.proposal"},
		}
	case facts.Waits: // termsOf has removed these atoms
	}
	return lookup{}
}

// textCondition returns the condition that the text of a row contains the given words. If there
// are more than maxSpellings case variants of the words, the condition selects rows through the
// index instead of checking the text of each row.
func (m matcher) textCondition(words string) engine.Clause {
	switch {
	case strings.ContainsRune(words, 0):
		return engine.Clause{SQL: "false"} // no text contains NUL, and the index cannot handle it
	case countSpellings(words) > maxSpellings:
		return m.Contains(words)
	}
	const shown = "lower(p.subject || '\n' || p.title || '\n' || p.author || '\n' || p.change_set)"
	var c engine.Clause
	for _, spelling := range spellings(words) {
		c.SQL, c.Args = c.SQL+" OR instr("+shown+", ?) > 0", append(c.Args, spelling)
	}
	c.SQL = strings.TrimPrefix(c.SQL, " OR ")
	return c
}
