package sqlite

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolcrib/store/engine"
)

// Search finds rows by SQLite's full-text indexes. It implements store.Searcher.
type Search struct{}

// Hints implements store.Searcher: SQLite plans without statistics.
func (Search) Hints() bool { return true }

// minIndexed is the length in characters from which the trigram index finds a
// substring by itself.
const minIndexed = 3

// Contains implements store.Searcher.
func (Search) Contains(words string) engine.Clause {
	return engine.Clause{SQL: "p.seq IN (SELECT rowid FROM proposals_text WHERE proposals_text MATCH ?)", Args: []any{quoteFTS(words)}}
}

// Rows implements store.Searcher. For less than a trigram it asks for the trigrams
// that begin with one of the spellings, which may list a proposal several times.
func (Search) Rows(words string, spellings []string) engine.Clause {
	if utf8.RuneCountInString(words) >= minIndexed {
		return engine.Clause{SQL: "SELECT rowid AS seq FROM proposals_text WHERE proposals_text MATCH ?", Args: []any{quoteFTS(words)}}
	}
	var found engine.Clause
	for i, spelling := range spellings {
		if i > 0 {
			found.SQL += " UNION ALL "
		}
		found.SQL += "SELECT doc AS seq FROM proposals_terms WHERE term >= ? AND term <= ?"
		found.Args = append(found.Args, spelling, afterAll(spelling))
	}
	return found
}

// phrases is the query of the text index for rows with all wanted texts and none
// of the unwanted ones.
func phrases(wanted, unwanted []string) string {
	var query string
	for _, words := range wanted {
		query += " " + quoteFTS(words)
	}
	for _, words := range unwanted {
		query = "(" + query + ") NOT " + quoteFTS(words)
	}
	return query
}

// AllRows implements store.Searcher.
func (Search) AllRows(wanted, unwanted []string) engine.Clause {
	return engine.Clause{SQL: "SELECT rowid AS seq FROM proposals_text WHERE proposals_text MATCH ?", Args: []any{phrases(wanted, unwanted)}}
}

// Matching implements store.Searcher.
func (Search) Matching(wanted, unwanted []string) engine.Source {
	return matching(phrases(wanted, unwanted))
}

func matching(query string) engine.Source {
	return engine.Source{
		From: "proposals_text t CROSS JOIN proposals p", Seq: "t.rowid",
		Where: engine.Clause{SQL: "p.seq = t.rowid AND proposals_text MATCH ?", Args: []any{query}},
	}
}

// Beginning implements store.Searcher, through the trigrams that begin with one of
// the spellings of a text; false when they are too many.
func (Search) Beginning(ctx context.Context, c *engine.Conn, spellings []string) (engine.Source, bool, error) {
	found, err := trigrams(ctx, c, spellings)
	return matching(strings.Join(found, " OR ")), len(found) > 0, err
}

// maxTrigrams limits how many trigrams are looked for at once: the index is entered
// for each of them.
const maxTrigrams = 32

// trigrams returns the trigrams of the index that begin with a text, as phrases,
// and none when they are too many. Each is found by itself, behind the one
// before: the engine lists them with all places that have them.
func trigrams(ctx context.Context, c *engine.Conn, spellings []string) ([]string, error) {
	var found []string
	for _, spelling := range spellings {
		for from := spelling; ; {
			next, err := c.Strings(ctx, "SELECT term FROM proposals_terms WHERE term >= $1 AND term <= $2 LIMIT 1", from, afterAll(spelling))
			if err != nil {
				return nil, err
			}
			if len(next) == 0 {
				break
			}
			if len(found) == maxTrigrams || strings.ContainsRune(next[0], 0) {
				return nil, nil
			}
			found = append(found, quoteFTS(next[0]))
			from = next[0] + "\x01"
		}
	}
	return found, nil
}

// afterAll returns the text after every trigram that begins with words.
func afterAll(words string) string {
	return words + strings.Repeat(string(unicode.MaxRune), minIndexed)
}

// quoteFTS makes any text one phrase of an FTS5 query.
func quoteFTS(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// HasTerms implements store.Searcher.
func (Search) HasTerms(table string, terms []string) engine.Clause {
	quoted := slices.Clone(terms)
	for i, t := range quoted {
		quoted[i] = quoteFTS(t)
	}
	return engine.Clause{SQL: table + " MATCH ?", Args: []any{strings.Join(quoted, " AND ")}}
}

// IndexChecks implements store.Searcher.
func (Search) IndexChecks() []engine.Check {
	return []engine.Check{
		{
			Table: "proposals_text",
			Query: `SELECT 'row ' || coalesce(p.seq, t.rowid) FROM proposals p FULL JOIN proposals_text t ON t.rowid = p.seq
				WHERE t.body IS NOT p.subject || char(10) || p.title || char(10) || p.author || char(10) || p.change_set || char(10, 10)`,
			Message: "Filters find the proposal by other text than it has.",
		},
		{
			Table: "proposals_text", Query: `SELECT k FROM proposals_text_config WHERE (k, v) IS NOT ('version', 4)`,
			Message: "The search index has a setting that the program did not make.",
		},
	}
}
