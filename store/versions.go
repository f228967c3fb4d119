package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
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

// Version implements review.RegistryReader.
func (s *session) Version(ctx context.Context, subject registry.Subject, number int) (history.Version, error) {
	found, err := all(ctx, s, scanVersion, "SELECT "+versionColumns+" FROM versions WHERE subject = $1 AND number = $2", subject.String(), number)
	return first(found, err, "version %d of %s", number, subject)
}

// AddVersion appends one version.
func (s *session) AddVersion(ctx context.Context, v history.Version) (history.Version, error) {
	added, err := s.AddVersions(ctx, []history.Version{v})
	if err != nil {
		return v, err
	}
	return added[0], nil
}

// AddVersions implements review.RegistryWriter.
func (s *session) AddVersions(ctx context.Context, versions []history.Version) ([]history.Version, error) {
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

// idLength is the length of a UUID in its text form.
const idLength = 36

// ResolveIDs implements review.ProposalReader. Whole ids are looked up together.
func (s *session) ResolveIDs(ctx context.Context, refs []string) ([]proposals.ID, error) {
	whole := make([]string, 0, len(refs))
	for _, ref := range refs {
		if len(ref) == idLength {
			whole = append(whole, strings.ToLower(ref))
		}
	}
	list, err := json.Marshal(whole)
	if err != nil {
		return nil, err
	}
	found, err := all(ctx, s, scanValue[proposals.ID], "SELECT p.id FROM json_each($1, '$') j CROSS JOIN proposals p WHERE p.id = j.value", string(list))
	if err != nil {
		return nil, err
	}
	known := make(map[proposals.ID]bool, len(found))
	for _, id := range found {
		known[id] = true
	}
	ids := make([]proposals.ID, len(refs))
	for i, ref := range refs {
		if ids[i] = proposals.ID(strings.ToLower(ref)); known[ids[i]] {
			continue
		}
		if ids[i], err = s.resolveID(ctx, ref); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// resolveID finds a proposal by its number, by a unique prefix of its id, or by
// the subject or tool id that it alone is open on.
func (s *session) resolveID(ctx context.Context, ref string) (proposals.ID, error) {
	if number, ok := strings.CutPrefix(ref, "#"); ok {
		return s.byNumber(ctx, number)
	}
	prefix := strings.ToLower(ref)
	digits := ref != "" && strings.Trim(ref, "0123456789") == ""
	switch {
	case digits:
		return s.byNumber(ctx, ref)
	case strings.Contains(ref, ":"):
		subject, err := registry.ParseSubject(ref)
		if err != nil {
			return "", fmt.Errorf("%s: %w: %v", jsondoc.Quote(ref), review.ErrNotFound, err) //nolint:errorlint // it is a reference that names nothing, not a subject on the command line
		}
		return s.onlyOpen(ctx, ref, "subject = $1", subject.String())
	case len(ref) >= proposals.MinPrefix && ref[0] == '0' && len(ref) <= idLength && strings.Trim(prefix, "0123456789abcdef-") == "":
		// No UUIDv7 begins with another digit than 0 before the year 10889.
		return s.byPrefix(ctx, prefix)
	case registry.ValidID(ref):
		return s.onlyOpen(ctx, ref, "subject_id = $1", ref)
	}
	return "", notFound("%s, which names no proposal (write its number, the first eight or more characters of its id, or its subject)", jsondoc.Quote(ref))
}

func (s *session) byNumber(ctx context.Context, number string) (proposals.ID, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strings.Trim(number, "0123456789") != "" {
		return "", notFound("%s, which is not a number of a proposal", jsondoc.Quote("#"+number))
	}
	var id proposals.ID
	err = s.Row(ctx, "SELECT id FROM proposals WHERE issue = $1 AND issue > 0", []any{n}, &id)
	if err = missing(err, "proposal #%d", n); !errors.Is(err, review.ErrNotFound) {
		return id, err
	}
	var last int
	if rowErr := s.Row(ctx, "SELECT coalesce(max(number), 0) FROM issues", nil, &last); rowErr != nil {
		return "", rowErr
	}
	if last == 0 {
		return "", fmt.Errorf("%w; none has a number yet", err)
	}
	return "", fmt.Errorf("%w; the newest is #%d", err, last)
}

func (s *session) byPrefix(ctx context.Context, prefix string) (proposals.ID, error) {
	found, err := s.some(ctx, "p.id >= $1 AND p.id < $2 ORDER BY p.id LIMIT 3", prefix, prefix+"g")
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", notFound("proposal %s", prefix)
	case len(found) > 1:
		return "", ambiguous(prefix+" begins the ids of", found, 2)
	}
	return found[0].ID, nil
}

// onlyOpen finds the one open proposal that a condition on its subject holds for.
func (s *session) onlyOpen(ctx context.Context, ref, condition string, value string) (proposals.ID, error) {
	found, err := s.some(ctx, "p."+condition+" AND p."+openStates+" ORDER BY p.seq LIMIT 4", value)
	switch {
	case err != nil:
		return "", err
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) > 1:
		return "", ambiguous(ref+" is the subject of", found, 3)
	}
	if found, err = s.some(ctx, "p."+condition+" ORDER BY p.seq DESC LIMIT 1", value); err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", notFound("a proposal on %s; `toolcrib list` shows those there are", ref)
	}
	return "", notFound("an open proposal on %s; the newest is %s, which is %s", ref, found[0].Handle(), found[0].State)
}

func (s *session) some(ctx context.Context, where string, args ...any) ([]proposals.Proposal, error) {
	return all(ctx, s, scanProposal, "SELECT"+proposalColumns+fromProposals+"WHERE "+where, args...)
}

// ambiguous names the proposals that a reference could mean, and how to write
// one of them.
func ambiguous(what string, found []proposals.Proposal, most int) error {
	var names []string
	for _, p := range found[:min(len(found), most)] {
		names = append(names, p.Handle()+" ("+p.Subject.String()+")")
	}
	if len(found) > most {
		names = append(names, "more")
	}
	return fmt.Errorf("%s %s; write the number of one: %w", what, strings.Join(names, ", "), review.ErrAmbiguous)
}
