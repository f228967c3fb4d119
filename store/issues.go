package store

import (
	"context"
	"strings"

	"toolcrib/proposals"
)

// Issue implements review.RecordReader.
func (s *session) Issue(ctx context.Context, id proposals.ID) (proposals.Issue, error) {
	var i proposals.Issue
	var labels string
	err := s.Row(ctx, "SELECT number, proposal, title, assignee, status, labels FROM issues WHERE proposal = $1", []any{id},
		&i.Number, &i.Proposal, &i.Title, &i.Assignee, &i.Status, &labels)
	if err != nil {
		return i, missing(err, "issue of proposal %s", id)
	}
	i.Labels = strings.Split(labels, "\n")
	return i, nil
}

// OpenIssue implements review.ProposalWriter. Labels hold no line breaks, so
// they are stored one a line.
func (s *session) OpenIssue(ctx context.Context, i proposals.Issue) (int, error) {
	var number int
	if err := storable([]any{i.Title, i.Assignee, strings.Join(i.Labels, "")}); err != nil {
		return 0, err
	}
	err := s.Row(ctx, `INSERT INTO issues (number, proposal, title, assignee, status, labels)
		VALUES ((SELECT coalesce(max(number), 0) + 1 FROM issues), $1, $2, $3, $4, $5) RETURNING number`,
		[]any{i.Proposal, i.Title, i.Assignee, i.Status, strings.Join(i.Labels, "\n")}, &number)
	if err != nil {
		return 0, err
	}
	n, err := s.Exec(ctx, "UPDATE proposals SET issue = $1 WHERE id = $2 AND issue = 0", number, i.Proposal)
	return number, changedOne(n, err, "proposal "+string(i.Proposal))
}

// AssignIssue implements review.ProposalWriter.
func (s *session) AssignIssue(ctx context.Context, id proposals.ID, assignee string, status proposals.IssueStatus) error {
	n, err := s.Exec(ctx, "UPDATE issues SET assignee = $1, status = $2 WHERE proposal = $3", assignee, status, id)
	return changedOne(n, err, "issue of proposal "+string(id))
}
