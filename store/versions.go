package store

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/history"
	"toolcrib/registry"
)

const versionColumns = `subject, number, definition, content_hash, prev_hash, hash, proposal, revision, author, assessment,
	review_digest, rendered, rules_version, decided_by, decided_at, note, waivers, signature`

func scanVersion(row scanner) (history.Version, error) {
	var v history.Version
	var subject, definition, rendered, at, waivers string
	err := row.Scan(&subject, &v.Number, &definition, &v.ContentHash, &v.PrevHash, &v.Hash, &v.Proposal, &v.Revision, &v.Author, &v.Assessment,
		&v.ReviewDigest, &rendered, &v.RulesVersion, &v.DecidedBy, &at, &v.Note, &waivers, &v.Signature)
	if err != nil {
		return v, err
	}
	v.Definition = json.RawMessage(definition)
	return v, readAll(
		into(&v.Subject, registry.ParseSubject, subject),
		into(&v.Rendered, history.DecodeRendered, rendered),
		into(&v.DecidedAt, history.ParseTimestamp, at),
		into(&v.Waivers, history.DecodeWaivers, waivers),
	)
}

// Version implements review.RegistryReader.
func (s *session) Version(ctx context.Context, subject registry.Subject, number int) (history.Version, error) {
	found, err := all(ctx, s, scanVersion, "SELECT "+versionColumns+" FROM versions WHERE subject = ? AND number = ?", subject.String(), number)
	if err == nil && len(found) == 0 {
		err = notFound("version %d of %s", number, subject)
	}
	if err != nil {
		return history.Version{}, err
	}
	return found[0], nil
}

// AddVersion implements review.RegistryWriter.
func (s *session) AddVersion(ctx context.Context, v history.Version) (history.Version, error) {
	if v.Number > 1 {
		err := s.row(ctx, "SELECT coalesce((SELECT hash FROM versions WHERE subject = ? AND number = ?), '')",
			[]any{v.Subject.String(), v.Number - 1}, &v.PrevHash)
		if err != nil {
			return v, err
		}
	}
	v.ContentHash = registry.HashBytes(v.Definition)
	v.Hash = v.Sum()
	seq, err := s.insert(ctx, `
		INSERT INTO versions (seq, kind, layer, id, `+versionColumns+`)
		VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM versions), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		v.Subject.Kind, v.Subject.Layer, v.Subject.ID,
		v.Subject.String(), v.Number, string(v.Definition), v.ContentHash, v.PrevHash, v.Hash, v.Proposal, v.Revision, v.Author, v.Assessment,
		v.ReviewDigest, history.EncodeRendered(v.Rendered), v.RulesVersion, v.DecidedBy, history.Timestamp(v.DecidedAt), v.Note,
		history.EncodeWaivers(v.Waivers), v.Signature)
	if err != nil {
		return v, fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	s.added = added{hash: v.Hash, seq: seq}
	return v, nil
}

// Versions returns the versions of a subject before the one given (0 for all),
// the newest first, at most limit.
func (db *DB) Versions(ctx context.Context, subject registry.Subject, before, limit int) ([]history.Version, error) {
	var versions []history.Version
	err := db.view(ctx, func(s *session) error {
		query := "SELECT " + versionColumns + " FROM versions WHERE subject = ? AND (number < ? OR ? = 0) ORDER BY number DESC LIMIT ?"
		var err error
		versions, err = all(ctx, s, scanVersion, query, subject.String(), before, before, limit)
		if err == nil && len(versions) == 0 && before == 0 {
			err = notFound("%s", subject)
		}
		return err
	})
	return versions, err
}

// EachVersion calls fn for every version of a subject, from the first.
func (db *DB) EachVersion(ctx context.Context, subject registry.Subject, fn func(history.Version) error) error {
	return db.view(ctx, func(s *session) error {
		found := false
		err := s.each(ctx, "SELECT "+versionColumns+" FROM versions WHERE subject = ? ORDER BY number", []any{subject.String()}, func(row scanner) error {
			found = true
			v, err := scanVersion(row)
			if err != nil {
				return err
			}
			return fn(v)
		})
		if err == nil && !found {
			err = notFound("%s", subject)
		}
		return err
	})
}
