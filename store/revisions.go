package store

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"toolcrib/history"
	"toolcrib/proposals"
)

const selectRevision = "SELECT proposal, number, draft, content_hash, author, created_at FROM revisions "

func scanRevision(row scanner) (proposals.Revision, error) {
	var r proposals.Revision
	var author, created string
	if err := row.Scan(&r.Proposal, &r.Number, &r.Text, &r.ContentHash, &author, &created); err != nil {
		return r, err
	}
	return r, errors.Join(
		into(&r.Draft, parseDraft, r.Text),
		into(&r.Author, parseActor, author),
		into(&r.CreatedAt, history.ParseTimestamp, created),
	)
}

func parseDraft(s string) (proposals.Draft, error) {
	parsed, err := proposals.DecodeJSON([]byte(s))
	if err != nil {
		return proposals.Draft{}, err
	}
	if len(parsed) != 1 {
		return proposals.Draft{}, fmt.Errorf("%d drafts in one revision", len(parsed))
	}
	return parsed[0].Draft, nil
}

// Revision implements review.ProposalReader.
func (s *session) Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error) {
	found, err := all(ctx, s, scanRevision, selectRevision+"WHERE proposal = $1 AND number = $2", id, number)
	return first(found, err, "revision %d of proposal %s", number, id)
}

// Revisions implements review.ProposalReader.
func (s *session) Revisions(ctx context.Context, id proposals.ID) ([]proposals.Revision, error) {
	return all(ctx, s, scanRevision, selectRevision+"WHERE proposal = $1 ORDER BY number", id)
}

func (s *session) addRevision(ctx context.Context, r proposals.Revision) (string, error) {
	return s.record(ctx, revisionRecords, []string{
		string(r.Proposal), strconv.Itoa(r.Number), r.Canonical(), r.ContentHash, r.Author.String(), history.Timestamp(r.CreatedAt),
	})
}
