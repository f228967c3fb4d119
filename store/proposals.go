package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// proposalColumns are the columns that scanProposal reads; the live version comes from the
// registry, so that staleness is never stored.
const proposalColumns = `
	p.id, p.type, p.subject, p.title, p.state, p.revision, p.content_hash, p.base_version, p.author,
	p.change_set, p.issue, p.recommendation, p.findings, p.blocks, p.warns, p.worst, p.waived_until, p.created_at, p.updated_at,
	coalesce(l.version, 0)`

const fromProposals = ` FROM proposals p LEFT JOIN live l ON l.subject = p.subject `

func scanProposal(row scanner) (proposals.Proposal, error) {
	var p proposals.Proposal
	var subject, author, until, created, updated string
	err := row.Scan(&p.ID, &p.Type, &subject, &p.Title, &p.State, &p.Revision, &p.ContentHash, &p.BaseVersion, &author,
		&p.ChangeSet, &p.Issue, &p.Summary.Recommendation, &p.Summary.Findings, &p.Summary.Blocks, &p.Summary.Warns, &p.Summary.Worst,
		&until, &created, &updated, &p.LiveVersion)
	if err != nil {
		return p, err
	}
	return p, errors.Join(
		into(&p.Subject, registry.ParseSubject, subject),
		into(&p.Author, parseActor, author),
		into(&p.Summary.WaivedUntil, parseMaybe, until),
		into(&p.CreatedAt, history.ParseTimestamp, created),
		into(&p.UpdatedAt, history.ParseTimestamp, updated),
	)
}

// maybe writes a time that need not be there, parseMaybe reads it.
func maybe(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return history.Timestamp(t)
}

func parseMaybe(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return history.ParseTimestamp(s)
}

// Proposal implements review.ProposalReader.
func (s *session) Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error) {
	found, err := all(ctx, s, scanProposal, "SELECT"+proposalColumns+fromProposals+"WHERE p.id = $1", id)
	return first(found, err, "proposal %s", id)
}

// openStates is the condition for proposals that are neither decided nor
// withdrawn.
const openStates = "state IN ('draft', 'chief_review', 'user_review', 'needs_changes')"

// OpenBy implements review.ProposalReader.
func (s *session) OpenBy(ctx context.Context, author proposals.Actor) (int, error) {
	var n int
	where, args := "author = $1", []any{author.String()}
	if author == (proposals.Actor{}) {
		where, args = "author >= 'agent:' AND author < 'agent;'", nil // ';' comes after ':'
	}
	err := s.Row(ctx, "SELECT count(*) FROM proposals"+s.hints.indexedBy("proposals_by_state_author")+" WHERE "+where+" AND "+openStates, args, &n)
	return n, err
}

// OpenOn implements review.ProposalReader.
func (s *session) OpenOn(ctx context.Context, subject registry.Subject) ([]proposals.Proposal, error) {
	return all(ctx, s, scanProposal,
		"SELECT"+proposalColumns+" FROM proposals p"+s.hints.indexedBy("proposals_by_state_subject")+" LEFT JOIN live l ON l.subject = p.subject "+
			"WHERE p.subject = $1 AND p."+openStates+" ORDER BY p.seq", subject.String())
}

// Members implements review.ProposalReader.
func (s *session) Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error) {
	return all(ctx, s, scanProposal,
		"SELECT"+proposalColumns+fromProposals+"WHERE p.change_set = $1 AND p.change_set <> '' AND p.state <> 'withdrawn' ORDER BY p.seq", changeSet)
}

// SameText implements review.ProposalReader. Its conditions are those of the
// index, which is walked from the end.
func (s *session) SameText(ctx context.Context, textHash string, except proposals.ID, most int) ([]proposals.Proposal, error) {
	return all(ctx, s, scanProposal,
		"SELECT"+proposalColumns+" FROM proposals p"+s.hints.indexedBy("proposals_by_text")+" LEFT JOIN live l ON l.subject = p.subject "+
			"WHERE p.text_hash = $1 AND p.text_hash <> '' AND p.state <> 'approved' AND p.state <> 'withdrawn' AND p.id <> $2 ORDER BY p.seq DESC LIMIT $3",
		textHash, except, most)
}

// AddProposal implements review.ProposalWriter.
func (s *session) AddProposal(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error) {
	_, err := s.Exec(ctx, `
		INSERT INTO proposals (seq, id, type, kind, layer, subject_id, subject, title, state, revision, content_hash, text_hash,
			base_version, author, change_set, created_at, updated_at)
		VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM proposals), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
		p.ID, p.Type, p.Subject.Kind, p.Subject.Layer, p.Subject.ID, p.Subject.String(), p.Title, p.State, p.Revision, p.ContentHash, r.Draft.TextHash(),
		p.BaseVersion, p.Author.String(), p.ChangeSet, history.Timestamp(p.CreatedAt), history.Timestamp(p.UpdatedAt))
	if err != nil {
		return "", fmt.Errorf("proposal %s: %w", p.ID, err)
	}
	return s.addRevision(ctx, r)
}

// AddRevision implements review.ProposalWriter.
func (s *session) AddRevision(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error) {
	n, err := s.Exec(ctx, `
		UPDATE proposals SET type = $1, title = $2, revision = $3, content_hash = $4, text_hash = $5, base_version = $6, change_set = $7, updated_at = $8
		WHERE id = $9 AND revision = $10`,
		p.Type, p.Title, r.Number, p.ContentHash, r.Draft.TextHash(), p.BaseVersion, p.ChangeSet, history.Timestamp(p.UpdatedAt), p.ID, r.Number-1)
	if err := changedOne(n, err, "proposal "+string(p.ID)); err != nil {
		return "", err
	}
	return s.addRevision(ctx, r)
}

// MoveProposal implements review.ProposalWriter.
func (s *session) MoveProposal(ctx context.Context, p proposals.Proposal, from proposals.State) error {
	n, err := s.Exec(ctx, `
		UPDATE proposals SET state = $1, recommendation = $2, findings = $3, blocks = $4, warns = $5, worst = $6, waived_until = $7, updated_at = $8
		WHERE id = $9 AND state = $10 AND revision = $11`,
		p.State, p.Summary.Recommendation, p.Summary.Findings, p.Summary.Blocks, p.Summary.Warns, p.Summary.Worst,
		maybe(p.Summary.WaivedUntil), history.Timestamp(p.UpdatedAt), p.ID, from, p.Revision)
	return changedOne(n, err, "proposal "+string(p.ID))
}
