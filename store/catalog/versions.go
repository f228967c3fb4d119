// This file reads and appends versions. The versions of each subject form a hash chain.

package catalog

import (
	"context"
	"fmt"
	"slices"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// versionColumns returns the columns that the hash of a version seals, in the order of
// history.Version.Sum, followed by the definition and the hash.
func versionColumns(v *history.Version) table.Columns {
	return table.Columns{
		table.Col("subject", table.Subject(&v.Subject)), table.Col("number", &v.Number), table.Col("content_hash", &v.ContentHash), table.Col("prev_hash", &v.PrevHash),
		table.Col("proposal", &v.Proposal), table.Col("revision", &v.Revision), table.Col("author", &v.Author), table.Col("assessment", &v.Assessment),
		table.Col("review_digest", &v.ReviewDigest), table.Col("rendered", table.Stored(&v.Rendered, history.EncodeRendered, history.DecodeRendered)),
		table.Col("rules_version", &v.RulesVersion), table.Col("decided_by", &v.DecidedBy), table.Col("decided_at", table.Time(&v.DecidedAt)), table.Col("note", &v.Note),
		table.Col("waivers", table.Stored(&v.Waivers, history.EncodeWaivers, history.DecodeWaivers)), table.Col("signature", &v.Signature),
		table.Col("approvals", table.Stored(&v.Approvals, history.EncodeApprovals, history.DecodeApprovals)), table.Col("definition", table.JSON(&v.Definition)),
		table.Col("hash", &v.Hash),
	}
}

// PartsOf returns the columns with the kind, the layer, and the id of a subject. Lookups and
// triggers use these columns.
func PartsOf(s *registry.Subject) table.Columns {
	return table.Columns{table.Col("kind", (*string)(&s.Kind)), table.Col("layer", (*string)(&s.Layer)), table.Col("id", &s.ID)}
}

// VersionTable describes the table versions.
var VersionTable = table.Of("versions", versionColumns)

// checkedVersion returns a scan function that rejects modified versions. The definition of a
// version must match its content hash, and the whole version must match its hash.
func checkedVersion() func(table.Scanner) (history.Version, error) {
	scan := table.Reading(versionColumns)
	return func(row table.Scanner) (history.Version, error) {
		v, err := scan(row)
		if err == nil && (registry.HashBytes(v.Definition) != v.ContentHash || v.Sum() != v.Hash) {
			err = fmt.Errorf("version %d of %s: %w: the version does not match its hash; run toolcrib verify", v.Number, v.Subject, proposals.ErrTampered)
		}
		return v, err
	}
}

// Version implements review.RegistryReader.
func (s Registry) Version(ctx context.Context, subject registry.Subject, number int) (history.Version, error) {
	return s.version(ctx, subject, number, checkedVersion())
}

func (s Registry) version(ctx context.Context, subject registry.Subject, number int, scan func(table.Scanner) (history.Version, error)) (history.Version, error) {
	found, err := table.All(ctx, s, scan, VersionTable.Select("WHERE subject = $1 AND number = $2"), subject.String(), number)
	return table.First(found, err, "version %d of %s", number, subject)
}

// AddVersion appends a version and returns it with its hashes.
func (s Registry) AddVersion(ctx context.Context, v history.Version) (history.Version, error) {
	added, err := s.AddVersions(ctx, []history.Version{v})
	if err != nil {
		return v, err
	}
	return added[0], nil
}

// AddVersions implements review.RegistryWriter.
func (s Registry) AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error) {
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
	ends, err := records.EndsOf(ctx, s.Session)
	if err != nil {
		return nil, err
	}
	seq := ends.Versions + 1
	rows := make([]table.Columns, len(versions))
	for i := range versions {
		v := &versions[i]
		v.ContentHash = registry.HashBytes(v.Definition)
		v.Hash = v.Sum()
		rows[i] = slices.Concat(table.Columns{table.Col("seq", new(seq+int64(i)))}, PartsOf(&v.Subject), versionColumns(v))
	}
	if err := table.InsertAll(ctx, s, "versions", rows); err != nil {
		what := fmt.Sprintf("version %d of %s", versions[0].Number, versions[0].Subject)
		if len(versions) > 1 {
			what = fmt.Sprintf("%d versions, the first of %s", len(versions), versions[0].Subject)
		}
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	ends.Versions += int64(len(versions))
	added := addedVersions{}
	for i, v := range versions {
		added[v.Hash] = seq + int64(i)
	}
	*session.PerTransaction[addedVersions](s.Session) = added
	return versions, nil
}

// addedVersions maps the hashes of versions to the sequence numbers of their rows. It contains the
// versions that the last call of AddVersions in a transaction wrote.
type addedVersions map[string]int64

// History reads the versions of subjects.
type History struct{ Pool *session.Pool }

// Versions returns at most limit versions of a subject, newest first. If end is not 0, it
// returns only versions with numbers below end.
func (db History) Versions(ctx context.Context, subject registry.Subject, end, limit int) ([]history.Version, error) {
	return session.Read(ctx, db.Pool, func(s *session.Session) ([]history.Version, error) {
		query := VersionTable.Select("WHERE subject = $1 AND (number < $2 OR 0 = $3) ORDER BY number DESC LIMIT $4")
		versions, err := table.All(ctx, s, checkedVersion(), query, subject.String(), end, end, limit)
		if err == nil && len(versions) == 0 && end == 0 {
			err = table.NotFound("%s", subject)
		}
		return versions, err
	})
}

// EachVersion calls fn for each version of a subject, oldest first.
func (db History) EachVersion(ctx context.Context, subject registry.Subject, fn func(history.Version) error) error {
	return db.Pool.View(ctx, func(s *session.Session) error {
		found, scan := false, checkedVersion()
		err := s.Each(ctx, VersionTable.Select("WHERE subject = $1 ORDER BY number"), []any{subject.String()}, func(row table.Scanner) error {
			found = true
			v, err := scan(row)
			if err != nil {
				return err
			}
			return fn(v)
		})
		if err == nil && !found {
			err = table.NotFound("%s", subject)
		}
		return err
	})
}

// Showings returns the way in which each approved proposal in ids was shown to its approver. The
// map is keyed by proposal id.
func (db History) Showings(ctx context.Context, ids []string) (map[string]proposals.Showing, error) {
	showings := make(map[string]proposals.Showing, len(ids))
	err := db.Pool.View(ctx, func(s *session.Session) error {
		return s.Each(ctx, "SELECT d.proposal, d.shown FROM json_each($1, '$') j CROSS JOIN decisions d WHERE d.proposal = j.value AND d.verdict = 'approved'",
			[]any{table.JSONArray(ids)}, func(row table.Scanner) error {
				var id string
				var shown proposals.Showing
				err := row.Scan(&id, &shown)
				showings[id] = shown
				return err
			})
	})
	return showings, err
}

// Counts returns an error if signatures are required and v has no valid signature.
func (db History) Counts(ctx context.Context, v history.Version) error {
	return db.Pool.View(ctx, func(s *session.Session) error { return (records.Signatures{Session: s}).Counts(ctx, v) })
}
