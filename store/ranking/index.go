// Package ranking ranks tools by how well their texts match a query. It uses SQLite's full-text search in in-memory
// databases.
package ranking

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"

	"toolcrib/gateway"
	"toolcrib/internal/lists"
	"toolcrib/store/sqlite"
)

// maxIndexes is the maximum number of databases in an Index.
const maxIndexes = 16

// Index ranks the texts of tools with FTS5 and bm25. Each set of texts is stored in a separate in-memory database. The
// tools of other agents therefore do not affect results and ranks, and the cost of a search does not depend on the
// size of the registry. The methods of Index are safe for concurrent use.
type Index struct {
	mu      sync.Mutex
	indexes []ftsIndex // most recently used last
}

type ftsIndex struct {
	key string
	db  *sql.DB
}

var _ gateway.Index = (*Index)(nil)

// NewIndex returns an empty index.
func NewIndex() *Index { return &Index{} }

// Close releases the memory of the index.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	errs := lists.Map(x.indexes, func(s ftsIndex) error { return s.db.Close() })
	x.indexes = nil
	return errors.Join(errs...)
}

// Rank implements gateway.Index. A word of the query matches words of a text that begin with this word or with its
// stem: "schedule" matches "scheduling". A text matches if it matches any word of the query. Texts with more matches
// rank higher. A match in a name counts more than a match in the short description, which counts more than a match
// in the remaining text.
func (x *Index) Rank(ctx context.Context, key string, texts func() []gateway.Text, query string, limit int) ([]int, error) {
	words := strings.FieldsFunc(query, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	if len(words) == 0 {
		return nil, nil
	}
	quoted := lists.Map(words[:min(len(words), maxWords)], func(w string) string { return `"` + w + `"*` })
	x.mu.Lock()
	defer x.mu.Unlock()
	db, err := x.open(ctx, key, texts)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT rowid FROM tools WHERE tools MATCH $1 ORDER BY bm25(tools, 8, 4, 1), rowid LIMIT $2", strings.Join(quoted, " OR "), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var found []int
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		found = append(found, n-1)
	}
	return found, rows.Err()
}

// open returns the database for key. It creates the database if necessary.
func (x *Index) open(ctx context.Context, key string, texts func() []gateway.Text) (*sql.DB, error) {
	if i := slices.IndexFunc(x.indexes, func(s ftsIndex) bool { return s.key == key }); i >= 0 {
		s := x.indexes[i]
		x.indexes = append(slices.Delete(x.indexes, i, i+1), s)
		return s.db, nil
	}
	db, err := fill(ctx, texts())
	if err != nil {
		return nil, err
	}
	if len(x.indexes) == maxIndexes {
		err = x.indexes[0].db.Close()
		x.indexes = slices.Delete(x.indexes, 0, 1)
	}
	x.indexes = append(x.indexes, ftsIndex{key, db})
	return db, err
}

func fill(ctx context.Context, texts []gateway.Text) (*sql.DB, error) {
	db, err := sql.Open(sqlite.Driver, ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	put := func() error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer tx.Rollback() //nolint:errcheck // the transaction was committed, or its error is already being returned
		_, err = tx.ExecContext(ctx, "CREATE VIRTUAL TABLE tools USING fts5 (names, short, long, tokenize = 'porter unicode61 remove_diacritics 2')")
		if err != nil {
			return err
		}
		stmt, err := tx.PrepareContext(ctx, "INSERT INTO tools (rowid, names, short, long) VALUES ($1, $2, $3, $4)")
		if err != nil {
			return err
		}
		defer stmt.Close() //nolint:errcheck // the transaction reports errors
		for i, t := range texts {
			if _, err := stmt.ExecContext(ctx, i+1, t.Names, t.Short, t.Long); err != nil {
				return err
			}
		}
		return tx.Commit()
	}
	if err := put(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// maxWords is the maximum number of words of a query that Rank uses.
const maxWords = 32
