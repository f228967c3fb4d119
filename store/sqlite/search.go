// This file implements session.Searcher with SQLite's full-text indexes.

package sqlite

import (
	"context"
	_ "embed" // the checks
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/store/engine"
)

// Hints implements session.Searcher. SQLite has no statistics about this database.
func (*File) Hints() bool { return true }

// minIndexed is the minimum length, in characters, of a substring that the trigram index can find.
const minIndexed = 3

// Contains implements session.Searcher.
func (*File) Contains(words string) engine.Clause {
	return engine.Clause{SQL: "p.seq IN (SELECT rowid FROM proposals_text WHERE proposals_text MATCH ?)", Args: []any{quoteFTS(words)}}
}

// Rows implements session.Searcher. If words is shorter than a trigram, the query looks up the trigrams that start with
// any of the spellings. It can then return a row several times.
func (*File) Rows(words string, spellings []string) engine.Clause {
	if utf8.RuneCountInString(words) >= minIndexed {
		return engine.Clause{SQL: "SELECT rowid AS seq FROM proposals_text WHERE proposals_text MATCH ?", Args: []any{quoteFTS(words)}}
	}
	return engine.Join(lists.Map(spellings, func(s string) engine.Clause {
		return engine.Clause{SQL: "SELECT doc AS seq FROM proposals_terms WHERE term >= ? AND term <= ?", Args: []any{s, afterAll(s)}}
	}), " UNION ALL ")
}

// phrases returns the FTS5 query for rows that contain all required texts and no excluded text.
func phrases(required, excluded []string) string {
	var query string
	for _, words := range required {
		query += " " + quoteFTS(words)
	}
	for _, words := range excluded {
		query = "(" + query + ") NOT " + quoteFTS(words)
	}
	return query
}

// AllRows implements session.Searcher.
func (*File) AllRows(wanted, unwanted []string) engine.Clause {
	return engine.Clause{SQL: "SELECT rowid AS seq FROM proposals_text WHERE proposals_text MATCH ?", Args: []any{phrases(wanted, unwanted)}}
}

// Matching implements session.Searcher.
func (*File) Matching(wanted, unwanted []string) engine.Source {
	return matching(phrases(wanted, unwanted))
}

func matching(query string) engine.Source {
	return engine.Source{
		From: "proposals_text t CROSS JOIN proposals p", Seq: "t.rowid",
		Where: engine.Clause{SQL: "p.seq = t.rowid AND proposals_text MATCH ?", Args: []any{query}},
	}
}

// Beginning implements session.Searcher. It searches for the trigrams that start with any of the spellings, and returns
// false if there are too many. It looks up single trigrams, because a query for all of them would list every occurrence
// of each trigram.
func (*File) Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error) {
	var found []string
	for _, spelling := range spellings {
		for from := spelling; ; {
			next, err := c.Strings(ctx, "SELECT term FROM proposals_terms WHERE term >= $1 AND term <= $2 LIMIT 1", from, afterAll(spelling))
			if err != nil {
				return engine.Source{}, false, err
			}
			if len(next) == 0 {
				break
			}
			if len(found) == maxTrigrams || strings.ContainsRune(next[0], 0) {
				return engine.Source{}, false, nil
			}
			found = append(found, quoteFTS(next[0]))
			from = next[0] + "\x01"
		}
	}
	return matching(strings.Join(found, " OR ")), len(found) > 0, nil
}

// maxTrigrams is the maximum number of trigrams in a query. Each trigram requires a separate index lookup.
const maxTrigrams = 32

// afterAll returns a text that sorts after every trigram that starts with words.
func afterAll(words string) string {
	return words + strings.Repeat(string(unicode.MaxRune), minIndexed)
}

// quoteFTS returns s as a quoted FTS5 phrase.
func quoteFTS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// HasTerms implements session.Searcher.
func (*File) HasTerms(table string, terms []string) engine.Clause {
	return engine.Clause{SQL: table + " MATCH ?", Args: []any{strings.Join(lists.Map(terms, quoteFTS), " AND ")}}
}

//go:embed checks.sql
var indexChecks string

// IndexChecks implements session.Searcher.
func (*File) IndexChecks() []engine.Check { return engine.Checks(indexChecks) }
