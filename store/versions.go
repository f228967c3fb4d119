package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// versionColumns are the sealed columns, in the order of history.Version.Sum, followed by
// the definition and the hash.
func versionColumns(v *history.Version) columns {
	return columns{
		col("subject", asSubject(&v.Subject)), col("number", &v.Number), col("content_hash", &v.ContentHash), col("prev_hash", &v.PrevHash),
		col("proposal", &v.Proposal), col("revision", &v.Revision), col("author", &v.Author), col("assessment", &v.Assessment),
		col("review_digest", &v.ReviewDigest), col("rendered", stored(&v.Rendered, history.EncodeRendered, history.DecodeRendered)),
		col("rules_version", &v.RulesVersion), col("decided_by", &v.DecidedBy), col("decided_at", asTime(&v.DecidedAt)), col("note", &v.Note),
		col("waivers", stored(&v.Waivers, history.EncodeWaivers, history.DecodeWaivers)), col("signature", &v.Signature),
		col("approvals", stored(&v.Approvals, history.EncodeApprovals, history.DecodeApprovals)), col("definition", asJSON(&v.Definition)),
		col("hash", &v.Hash),
	}
}

// partsOf are the columns of a subject by which lookups and triggers find it.
func partsOf(s *registry.Subject) columns {
	return columns{col("kind", (*string)(&s.Kind)), col("layer", (*string)(&s.Layer)), col("id", &s.ID)}
}

// selectVersions is the beginning of a query for versionColumns.
var selectVersions = "SELECT " + versionColumns(new(history.Version)).of("versions") + " FROM versions "

// versionTables have the versions.
type versionTables struct{ *session }

// checkedVersion returns what scans versions. It refuses one that was edited by hand: its
// definition has to match the content hash, and all of it the hash of the version.
func checkedVersion() func(scanner) (history.Version, error) {
	scan := reading(versionColumns)
	return func(row scanner) (history.Version, error) {
		v, err := scan(row)
		if err == nil && (registry.HashBytes(v.Definition) != v.ContentHash || v.Sum() != v.Hash) {
			err = fmt.Errorf("version %d of %s: %w: it does not match its hash; run toolcrib verify", v.Number, v.Subject, proposals.ErrTampered)
		}
		return v, err
	}
}

// Version implements review.RegistryReader.
func (s versionTables) Version(ctx context.Context, subject registry.Subject, number int) (history.Version, error) {
	return s.version(ctx, subject, number, checkedVersion())
}

func (s versionTables) version(ctx context.Context, subject registry.Subject, number int, scan func(scanner) (history.Version, error)) (history.Version, error) {
	found, err := all(ctx, s, scan, selectVersions+"WHERE subject = $1 AND number = $2", subject.String(), number)
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
	ends, err := tails(ctx, s.session)
	if err != nil {
		return nil, err
	}
	seq := ends.versions + 1
	rows := make([]columns, len(versions))
	for i := range versions {
		v := &versions[i]
		v.ContentHash = registry.HashBytes(v.Definition)
		v.Hash = v.Sum()
		rows[i] = slices.Concat(columns{col("seq", new(seq+int64(i)))}, partsOf(&v.Subject), versionColumns(v))
	}
	if err := insertAll(ctx, s, "versions", rows); err != nil {
		return nil, fmt.Errorf("%s: %w", allVersions(versions), err)
	}
	ends.versions += int64(len(versions))
	added := addedVersions{}
	for i, v := range versions {
		added[v.Hash] = seq + int64(i)
	}
	*within[addedVersions](s.session) = added
	return versions, nil
}

// addedVersions are the versions that a transaction wrote last: the numbers of their
// rows, by hash.
type addedVersions map[string]int64

// allVersions names versions in an error.
func allVersions(versions []history.Version) string {
	if len(versions) == 1 {
		return fmt.Sprintf("version %d of %s", versions[0].Number, versions[0].Subject)
	}
	return fmt.Sprintf("%d versions, the first of %s", len(versions), versions[0].Subject)
}

// versionPages are the histories of subjects.
type versionPages struct{ pool *connections }

// Versions returns the versions of a subject before the one given (0 for all),
// the newest first, at most limit.
func (db versionPages) Versions(ctx context.Context, subject registry.Subject, before, limit int) ([]history.Version, error) {
	return viewed(ctx, db.pool, func(s *session) ([]history.Version, error) {
		query := selectVersions + "WHERE subject = $1 AND (number < $2 OR 0 = $3) ORDER BY number DESC LIMIT $4"
		versions, err := all(ctx, s, checkedVersion(), query, subject.String(), before, before, limit)
		if err == nil && len(versions) == 0 && before == 0 {
			err = notFound("%s", subject)
		}
		return versions, err
	})
}

// EachVersion calls fn for every version of a subject, from the first.
func (db versionPages) EachVersion(ctx context.Context, subject registry.Subject, fn func(history.Version) error) error {
	return db.pool.view(ctx, func(s *session) error {
		found, scan := false, checkedVersion()
		err := s.Each(ctx, selectVersions+"WHERE subject = $1 ORDER BY number", []any{subject.String()}, func(row scanner) error {
			found = true
			v, err := scan(row)
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

// versionTable is the name of the table of versions.
const versionTable = "versions"

// Showings returns how each approver was shown the proposal.
func (db versionPages) Showings(ctx context.Context, ids []string) (map[string]proposals.Showing, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	showings := make(map[string]proposals.Showing, len(ids))
	err = db.pool.view(ctx, func(s *session) error {
		return s.Each(ctx, "SELECT d.proposal, d.shown FROM json_each($1, '$') j CROSS JOIN decisions d WHERE d.proposal = j.value AND d.verdict = 'approved'",
			[]any{string(list)}, func(row scanner) error {
				var id string
				var shown proposals.Showing
				err := row.Scan(&id, &shown)
				showings[id] = shown
				return err
			})
	})
	return showings, err
}

// Counts returns nil when a version counts: always, unless signatures are
// required.
func (db versionPages) Counts(ctx context.Context, v history.Version) error {
	return db.pool.view(ctx, func(s *session) error { return (signatureTables{session: s}).counts(ctx, v) })
}
