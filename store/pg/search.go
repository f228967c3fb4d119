package pg

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// Search finds rows by the trigram index of the queue, where the server has
// pg_trgm, and by the vectors of terms. It implements session.Searcher.
type Search struct{}

// Hints implements session.Searcher: PostgreSQL plans by statistics.
func (Search) Hints() bool { return false }

// shown is the expression of the index proposals_text.
const shown = "lower(p.subject || '\n' || p.title || '\n' || p.author || '\n' || p.change_set)"

// maxPattern is the longest text in bytes that is looked for by a regular
// expression: the server takes minutes for one of a megabyte.
const maxPattern = 1000

// Contains implements session.Searcher with a regular expression that lists the cases of each letter, or with a
// lower-case comparison if the text is too long for that.
func (Search) Contains(words string) engine.Clause {
	if len(words) > maxPattern {
		return engine.Clause{SQL: "position(? IN " + shown + ") > 0", Args: []any{strings.ToLower(words)}}
	}
	return engine.Clause{SQL: shown + " ~ ?", Args: []any{pattern(words)}}
}

// Rows implements session.Searcher.
func (s Search) Rows(words string, _ []string) engine.Clause {
	return s.AllRows([]string{words}, nil)
}

// AllRows implements session.Searcher.
func (s Search) AllRows(wanted, unwanted []string) engine.Clause {
	where := s.Matching(wanted, unwanted).Where
	return engine.Clause{SQL: "SELECT p.seq FROM proposals p WHERE " + where.SQL, Args: where.Args}
}

// Matching implements session.Searcher.
func (s Search) Matching(wanted, unwanted []string) engine.Source {
	source := engine.Source{From: "proposals p", Seq: "p.seq"}
	var conditions []string
	for _, words := range wanted {
		c := s.Contains(words)
		conditions, source.Where.Args = append(conditions, c.SQL), append(source.Where.Args, c.Args...)
	}
	for _, words := range unwanted {
		c := s.Contains(words)
		conditions, source.Where.Args = append(conditions, "NOT "+c.SQL), append(source.Where.Args, c.Args...)
	}
	source.Where.SQL = strings.Join(conditions, " AND ")
	return source
}

// Beginning implements session.Searcher: no index knows less than a trigram.
func (Search) Beginning(context.Context, *engine.Conn, []string) (engine.Source, bool, error) {
	return engine.Source{}, false, nil
}

// pattern returns a regular expression that finds words in any case in a text whose ASCII letters are lower case.
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
func (Search) HasTerms(_ string, terms []string) engine.Clause {
	quoted := lists.Map(terms, func(t string) string { return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(t) + "'" })
	return engine.Clause{SQL: "lexemes @@ CAST(? AS tsquery)", Args: []any{strings.Join(quoted, " & ")}}
}

// IndexChecks implements session.Searcher: the server keeps its indexes.
func (Search) IndexChecks() []engine.Check { return nil }
