package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"toolcrib/history"
	"toolcrib/registry"
	"toolcrib/review"
)

// contentTables have the bytes of binary files, by their SHA-256.
type contentTables struct{ *session }

// Content implements review.RegistryReader.
func (s contentTables) Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error) {
	err = s.Row(ctx, "SELECT bytes FROM contents WHERE sha256 = $1", []any{sha256}, &data)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err == nil && registry.HashBytes(data) != sha256:
		err = fmt.Errorf("%w: the bytes stored under the SHA-256 %.12s do not match it; run toolcrib verify", ErrDamaged, sha256)
	}
	return data, err == nil, err
}

// AddContent implements review.RegistryWriter.
func (s contentTables) AddContent(ctx context.Context, data []byte) error {
	if data == nil {
		data = []byte{} // not NULL
	}
	_, err := s.Exec(ctx, "INSERT INTO contents (sha256, bytes) VALUES ($1, $2)", registry.HashBytes(data), data)
	return err
}

// Content returns the bytes of a binary by their SHA-256, false if they are not stored.
func (db *DB) Content(ctx context.Context, sha256 string) (data []byte, ok bool, err error) {
	err = db.View(ctx, func(r review.Reader) error {
		data, ok, err = r.Content(ctx, sha256)
		return err
	})
	return data, ok, err
}

// contentsAgree reports stored bytes that do not match their hash, and versions of skills
// whose bytes are missing. Versions without a type are older than the table.
func contentsAgree(ctx context.Context, s *session, fn func(history.Damage)) error {
	stored := map[string]bool{}
	err := s.Each(ctx, "SELECT sha256, bytes FROM contents ORDER BY sha256", nil, func(row scanner) error {
		var hash string
		var data []byte
		if err := row.Scan(&hash, &data); err != nil {
			return err
		}
		stored[hash] = true
		if registry.HashBytes(data) != hash {
			fn(history.Damage{Table: "contents", Key: hash, Message: "Its bytes do not match its hash."})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Each(ctx, "SELECT subject, number, definition FROM versions WHERE kind = 'skill' ORDER BY seq", nil, func(row scanner) error {
		var subject, definition string
		var number int
		if err := row.Scan(&subject, &number, &definition); err != nil {
			return err
		}
		d, err := registry.DecodeDefinition(registry.KindSkill, []byte(definition))
		if err != nil {
			return nil //nolint:nilerr // the check of versions reports it
		}
		for _, name := range d.Skill.Paths() {
			if f := d.Skill.Files[name]; f.Type != "" && !stored[f.SHA256] {
				fn(history.Damage{Table: "contents", Key: f.SHA256, Message: fmt.Sprintf("Its bytes, which version %d of %s approves, are missing.", number, subject)})
			}
		}
		return nil
	})
}
