package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/registry"
)

const versionColumns = `subject, number, definition, content_hash, prev_hash, hash, proposal, revision, author, assessment,
	review_digest, rendered, rules_version, decided_by, decided_at, note, waivers, signature, approvals`

func scanVersion(row scanner) (history.Version, error) {
	var v history.Version
	var subject, definition, rendered, at, waivers, approvals string
	err := row.Scan(&subject, &v.Number, &definition, &v.ContentHash, &v.PrevHash, &v.Hash, &v.Proposal, &v.Revision, &v.Author, &v.Assessment,
		&v.ReviewDigest, &rendered, &v.RulesVersion, &v.DecidedBy, &at, &v.Note, &waivers, &v.Signature, &approvals)
	if err != nil {
		return v, err
	}
	v.Definition = json.RawMessage(definition)
	return v, errors.Join(
		into(&v.Subject, registry.ParseSubject, subject),
		into(&v.Rendered, history.DecodeRendered, rendered),
		into(&v.DecidedAt, history.ParseTimestamp, at),
		into(&v.Waivers, history.DecodeWaivers, waivers),
		into(&v.Approvals, history.DecodeApprovals, approvals),
	)
}

// versionTables have the versions.
type versionTables struct{ *session }

// Version implements review.RegistryReader.
func (s versionTables) Version(ctx context.Context, subject registry.Subject, number int) (history.Version, error) {
	found, err := all(ctx, s, scanVersion, "SELECT "+versionColumns+" FROM versions WHERE subject = $1 AND number = $2", subject.String(), number)
	return first(found, err, "version %d of %s", number, subject)
}

// AddVersion appends one version.
func (s versionTables) AddVersion(ctx context.Context, v history.Version) (history.Version, error) {
	added, err := s.AddVersions(ctx, []history.Version{v})
	if err != nil {
		return v, err
	}
	return added[0], nil
}

// AddVersions implements review.RegistryWriter.
func (s versionTables) AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error) {
	versions = slices.Clone(versions)
	for i, v := range versions {
		if v.Number == 1 {
			continue
		}
		err := s.Row(ctx, "SELECT coalesce((SELECT hash FROM versions WHERE subject = $1 AND number = $2), '')",
			[]any{v.Subject.String(), v.Number - 1}, &versions[i].PrevHash)
		if err != nil {
			return nil, err
		}
	}
	ends, err := s.tails(ctx)
	if err != nil {
		return nil, err
	}
	seq := ends.versions + 1
	rows := make([][]any, len(versions))
	for i := range versions {
		v := &versions[i]
		v.ContentHash = registry.HashBytes(v.Definition)
		v.Hash = v.Sum()
		rows[i] = versionRow(seq+int64(i), *v)
	}
	if err := s.insertRows(ctx, "versions", "seq, kind, layer, id, "+versionColumns, slices.Concat(rows...)); err != nil {
		return nil, fmt.Errorf("%s: %w", allVersions(versions), err)
	}
	ends.versions += int64(len(versions))
	s.added = map[string]int64{}
	for i, v := range versions {
		s.added[v.Hash] = seq + int64(i)
	}
	return versions, nil
}

// versionRow are the values of a row of versions.
func versionRow(seq int64, v history.Version) []any {
	return []any{
		seq, v.Subject.Kind, v.Subject.Layer, v.Subject.ID,
		v.Subject.String(), v.Number, string(v.Definition), v.ContentHash, v.PrevHash, v.Hash, v.Proposal, v.Revision, v.Author, v.Assessment,
		v.ReviewDigest, history.EncodeRendered(v.Rendered), v.RulesVersion, v.DecidedBy, history.Timestamp(v.DecidedAt), v.Note,
		history.EncodeWaivers(v.Waivers), v.Signature, history.EncodeApprovals(v.Approvals),
	}
}

// allVersions names versions in an error.
func allVersions(versions []history.Version) string {
	if len(versions) == 1 {
		return fmt.Sprintf("version %d of %s", versions[0].Number, versions[0].Subject)
	}
	return fmt.Sprintf("%d versions, the first of %s", len(versions), versions[0].Subject)
}

// Versions returns the versions of a subject before the one given (0 for all),
// the newest first, at most limit.
func (db *DB) Versions(ctx context.Context, subject registry.Subject, before, limit int) ([]history.Version, error) {
	return viewed(ctx, db, func(s *session) ([]history.Version, error) {
		query := "SELECT " + versionColumns + " FROM versions WHERE subject = $1 AND (number < $2 OR 0 = $3) ORDER BY number DESC LIMIT $4"
		versions, err := all(ctx, s, scanVersion, query, subject.String(), before, before, limit)
		if err == nil && len(versions) == 0 && before == 0 {
			err = notFound("%s", subject)
		}
		return versions, err
	})
}

// EachVersion calls fn for every version of a subject, from the first.
func (db *DB) EachVersion(ctx context.Context, subject registry.Subject, fn func(history.Version) error) error {
	return db.view(ctx, func(s *session) error {
		found := false
		err := s.Each(ctx, "SELECT "+versionColumns+" FROM versions WHERE subject = $1 ORDER BY number", []any{subject.String()}, func(row scanner) error {
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
