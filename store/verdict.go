package store

import (
	"context"
	"encoding/json"
	"fmt"

	"toolcrib/history"
	"toolcrib/review"
)

// Statements that move many rows, each if it is as it was seen. The list is an
// array of arrays; json_each comes first, so that each row is found by its key.
const (
	moveProposals = `UPDATE proposals SET state = json_extract(j.value, '$[3]'), updated_at = json_extract(j.value, '$[4]') FROM json_each($1, '$') j
		WHERE proposals.id = json_extract(j.value, '$[0]') AND proposals.state = json_extract(j.value, '$[1]')
		AND proposals.revision = CAST(json_extract(j.value, '$[2]') AS bigint)`
	assignIssues = `UPDATE issues SET assignee = json_extract(j.value, '$[1]'), status = json_extract(j.value, '$[2]') FROM json_each($1, '$') j
		WHERE issues.proposal = json_extract(j.value, '$[0]')`
)

// ApplyVerdict implements review.ProposalWriter.
func (s *session) ApplyVerdict(ctx context.Context, decided []review.DecidedProposal) error {
	if len(decided) == 1 {
		one := decided[0]
		if err := s.MoveProposal(ctx, one.Proposal, one.From); err != nil {
			return err
		}
		return s.AssignIssue(ctx, one.Proposal.ID, one.Assignee, one.Status)
	}
	moves, turns := make([][]any, len(decided)), make([][]any, len(decided))
	for i, one := range decided {
		p := one.Proposal
		moves[i] = []any{p.ID, one.From, p.Revision, p.State, history.Timestamp(p.UpdatedAt)}
		turns[i] = []any{p.ID, one.Assignee, one.Status}
	}
	if err := s.updateAll(ctx, moveProposals, moves, "proposals"); err != nil {
		return err
	}
	return s.updateAll(ctx, assignIssues, turns, "issues of proposals")
}

// updateAll runs a statement that changes one row for each of a list, and
// refuses when some are not as they were seen.
func (s *session) updateAll(ctx context.Context, statement string, list [][]any, what string) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	n, err := s.Exec(ctx, statement, string(text))
	if err == nil && n != int64(len(list)) {
		err = fmt.Errorf("%d of %d %s: %w: another process changed it first; look again", int64(len(list))-n, len(list), what, review.ErrConflict)
	}
	return err
}
