package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"toolcrib/gateway/builtin"
	"toolcrib/history"
)

// assistant has the data that the built-in tools of one owner read and write in a
// transaction. It implements builtin.Writer; on a reading connection the
// engine itself refuses the writes.
type assistant struct {
	s     *session
	owner int64 // 0 for one of whom nothing is kept yet: no row has it
	now   string
}

var (
	_ builtin.Store  = (*DB)(nil)
	_ builtin.Writer = assistant{}
)

// ReadAssistant implements builtin.Store.
func (db *DB) ReadAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Reader) error) error {
	for {
		stale := false
		err := db.view(ctx, func(s *session) error {
			a, err := s.assistant(ctx, of, at)
			if err != nil {
				return err
			}
			if stale, err = a.stale(ctx); err != nil || stale {
				return err
			}
			return fn(a)
		})
		if err != nil || !stale {
			return err
		}
		if err := db.expire(ctx, of, at); err != nil {
			return err
		}
	}
}

// WriteAssistant implements builtin.Store.
func (db *DB) WriteAssistant(ctx context.Context, of builtin.Owner, at time.Time, fn func(builtin.Writer) error) error {
	return db.update(ctx, func(s *session) error {
		_, err := s.Exec(ctx, `INSERT INTO owners (id, customer, "user") SELECT (SELECT coalesce(max(id), 0) + 1 FROM owners), $1, $2
			WHERE NOT EXISTS (SELECT 1 FROM owners WHERE customer = $1 AND "user" = $2)`, of.Customer, of.User)
		if err != nil {
			return err
		}
		a, err := s.assistant(ctx, of, at)
		if err != nil {
			return err
		}
		if err := a.expire(ctx); err != nil {
			return err
		}
		return fn(a)
	})
}

func (s *session) assistant(ctx context.Context, of builtin.Owner, at time.Time) (assistant, error) {
	a := assistant{s: s, now: history.Timestamp(at)}
	err := s.Row(ctx, `SELECT id FROM owners WHERE customer = $1 AND "user" = $2`, []any{of.Customer, of.User}, &a.owner)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return a, err
}

// stale reports whether memories have expired that are still there.
func (a assistant) stale(ctx context.Context) (bool, error) {
	var found bool
	err := a.s.Row(ctx, "SELECT EXISTS (SELECT 1 FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2)", []any{a.owner, a.now}, &found)
	return found, err
}

// expire removes memories that have expired, in a transaction of its own.
func (db *DB) expire(ctx context.Context, of builtin.Owner, at time.Time) error {
	return db.WriteAssistant(ctx, of, at, func(builtin.Writer) error { return nil })
}

func (a assistant) expire(ctx context.Context) error {
	ids, err := all(ctx, a.s, scanValue[string],
		"SELECT id FROM memories WHERE owner = $1 AND deleted_at = '' AND expires_at <> '' AND expires_at <= $2", a.owner, a.now)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := a.RemoveMemory(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// byIDs calls fn for each id once, which a call lists few of.
func byIDs[T any](ctx context.Context, s *session, scan func(scanner) (T, error), query string, owner int64, ids []string) ([]T, error) {
	var out []T
	for _, id := range ids {
		found, err := all(ctx, s, scan, query, owner, id)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// byKeys returns the rows that a query finds by their keys.
func byKeys[T any](ctx context.Context, a assistant, scan func(scanner) (T, error), query string, keys []int64) (map[int64]T, error) {
	found := make(map[int64]T, len(keys))
	for _, key := range keys {
		list, err := all(ctx, a.s, scan, query, a.owner, key)
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			found[key] = v
		}
	}
	return found, nil
}

// remove marks a row as deleted and reports whether it was there.
func (a assistant) remove(ctx context.Context, query, id string) (bool, error) {
	n, err := a.s.Exec(ctx, query, a.now, a.owner, id)
	return n == 1, err
}

// list writes a list of texts.
func list(texts []string) (string, error) {
	if len(texts) == 0 {
		return "[]", nil
	}
	data, err := json.Marshal(texts)
	return string(data), err
}

func parseList(s string) ([]string, error) {
	var texts []string
	err := json.Unmarshal([]byte(s), &texts)
	return texts, err
}

// project returns the number of a project, NULL for "", and 0, which none has,
// for a name that is unknown.
func (a assistant) project(ctx context.Context, name string) (id sql.NullInt64, err error) {
	if name == "" {
		return id, nil
	}
	id.Valid = true
	err = a.s.Row(ctx, "SELECT id FROM projects WHERE owner = $1 AND name_key = $2", []any{a.owner, builtin.NameKey(name)}, &id.Int64)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return id, err
}
