// This file implements session.Searcher. Proposals are searched with regular expressions. A trigram index supports
// these searches if the server has the extension pg_trgm. Memories and entities are searched with tsvectors.

package pg

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// Hints implements session.Searcher. PostgreSQL chooses indexes by its statistics.
func (*Server) Hints() bool { return false }

// shown is the expression that the index proposals_text contains.
const shown = "lower(p.subject || '\n' || p.title || '\n' || p.author || '\n' || p.change_set)"

// maxPattern is the maximum length, in bytes, of a text for which Contains uses a regular expression. The server
// needs minutes for a regular expression of one megabyte.
const maxPattern = 1000

// Contains implements session.Searcher. The condition is a regular expression that lists the case variants of each
// letter. For a text longer than maxPattern, it is a comparison in lower case.
func (*Server) Contains(words string) engine.Clause {
	if len(words) > maxPattern {
		return engine.Clause{SQL: "position(? IN " + shown + ") > 0", Args: []any{strings.ToLower(words)}}
	}
	return engine.Clause{SQL: shown + " ~ ?", Args: []any{pattern(words)}}
}

// Rows implements session.Searcher.
func (s *Server) Rows(words string, _ []string) engine.Clause {
	return s.AllRows([]string{words}, nil)
}

// AllRows implements session.Searcher.
func (s *Server) AllRows(wanted, unwanted []string) engine.Clause {
	where := s.Matching(wanted, unwanted).Where
	return engine.Clause{SQL: "SELECT p.seq FROM proposals p WHERE " + where.SQL, Args: where.Args}
}

// Matching implements session.Searcher.
func (s *Server) Matching(wanted, unwanted []string) engine.Source {
	conditions := lists.Map(wanted, s.Contains)
	for _, words := range unwanted {
		c := s.Contains(words)
		conditions = append(conditions, engine.Clause{SQL: "NOT " + c.SQL, Args: c.Args})
	}
	return engine.Source{From: "proposals p", Seq: "p.seq", Where: engine.Join(conditions, " AND ")}
}

// Beginning implements session.Searcher. No index supports texts shorter than a trigram.
func (*Server) Beginning(context.Context, *engine.Conn, []string) (engine.Source, bool, error) {
	return engine.Source{}, false, nil
}

// pattern returns a regular expression that finds words in a searched text, ignoring case. In a searched text,
// ASCII letters are in lower case.
func pattern(words string) string {
	var b strings.Builder
	for _, r := range words {
		switch {
		case r <= unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r) && r > ' ':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			cases := string(engine.Cases(r))
			if utf8.RuneCountInString(cases) > 1 {
				cases = "[" + cases + "]"
			}
			b.WriteString(cases)
		}
	}
	return b.String()
}

// HasTerms implements session.Searcher.
func (*Server) HasTerms(_ string, terms []string) engine.Clause {
	quoted := lists.Map(terms, func(t string) string { return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(t) + "'" })
	return engine.Clause{SQL: "lexemes @@ CAST(? AS tsquery)", Args: []any{strings.Join(quoted, " & ")}}
}

// IndexChecks implements session.Searcher. It returns nil because the server maintains all indexes.
func (*Server) IndexChecks() []engine.Check { return nil }
