// Package queue stores proposals with their revisions and issues, and finds proposals page by page. It translates
// each filter to a selection that an index supports in every sort order.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Proposals stores and finds proposals with their revisions and issues.
type Proposals struct{ *session.Session }

// proposalColumns returns the stored columns of a proposal. It does not include the number of the live version,
// which the registry contains. The tables therefore do not store whether a proposal is stale.
func proposalColumns(p *proposals.Proposal) table.Columns {
	return table.Columns{
		table.Col("id", (*string)(&p.ID)), table.Col("type", (*string)(&p.Type)), table.Col("subject", table.Subject(&p.Subject)), table.Col("title", &p.Title),
		table.Col("state", (*string)(&p.State)), table.Col("revision", &p.Revision), table.Col("content_hash", &p.ContentHash), table.Col("base_version", &p.BaseVersion),
		table.Col("author", table.Actor(&p.Author)), table.Col("change_set", &p.ChangeSet), table.Col("issue", &p.Issue),
		table.Col("recommendation", (*string)(&p.Summary.Recommendation)), table.Col("findings", &p.Summary.Findings), table.Col("blocks", &p.Summary.Blocks),
		table.Col("warns", &p.Summary.Warns), table.Col("worst", &p.Summary.Worst), table.Col("waived_until", table.MaybeTime(&p.Summary.WaivedUntil)),
		table.Col("created_at", table.Time(&p.CreatedAt)), table.Col("updated_at", table.Time(&p.UpdatedAt)),
	}
}

func proposalRow(p *proposals.Proposal) table.Columns {
	return append(proposalColumns(p), table.Col("version", &p.LiveVersion))
}

// listColumns lists the columns of proposalRow in SQL. The alias of proposals is p, and the alias of the live
// versions is l.
var listColumns = " " + proposalColumns(new(proposals.Proposal)).Of("p") + ", coalesce(l.version, 0)"

const fromProposals = ` FROM proposals p LEFT JOIN live l ON l.subject = p.subject `

// Proposal implements review.ProposalReader.
func (s Proposals) Proposal(ctx context.Context, id proposals.ID) (proposals.Proposal, error) {
	found, err := table.All(ctx, s, table.Reading(proposalRow), "SELECT"+listColumns+fromProposals+"WHERE p.id = $1", id)
	return table.First(found, err, "proposal %s", id)
}

// openStates is the condition for proposals that are neither decided nor withdrawn.
const openStates = "state IN ('draft', 'chief_review', 'user_review', 'needs_changes')"

// OpenBy implements review.ProposalReader.
func (s Proposals) OpenBy(ctx context.Context, author proposals.Actor) (int, error) {
	var n int
	where, args := "author = $1", []any{author.String()}
	if author == (proposals.Actor{}) {
		where, args = "author >= 'agent:' AND author < 'agent;'", nil // ';' comes after ':'
	}
	err := s.Row(ctx, "SELECT count(*) FROM proposals"+s.Hints.IndexedBy("proposals_by_state_author")+" WHERE "+where+" AND "+openStates, args, &n)
	return n, err
}

// OpenOn implements review.ProposalReader.
func (s Proposals) OpenOn(ctx context.Context, subject registry.Subject) ([]proposals.Proposal, error) {
	return table.All(ctx, s, table.Reading(proposalRow),
		"SELECT"+listColumns+" FROM proposals p"+s.Hints.IndexedBy("proposals_by_state_subject")+" LEFT JOIN live l ON l.subject = p.subject "+
			"WHERE p.subject = $1 AND p."+openStates+" ORDER BY p.seq", subject.String())
}

// Members implements review.ProposalReader.
func (s Proposals) Members(ctx context.Context, changeSet string) ([]proposals.Proposal, error) {
	return table.All(ctx, s, table.Reading(proposalRow),
		"SELECT"+listColumns+fromProposals+"WHERE p.change_set = $1 AND p.change_set <> '' AND p.state <> 'withdrawn' ORDER BY p.seq", changeSet)
}

// SameText implements review.ProposalReader. The query repeats the conditions of the partial index and reads the
// index backwards.
func (s Proposals) SameText(ctx context.Context, textHash string, excluded proposals.ID, limit int) ([]proposals.Proposal, error) {
	return table.All(ctx, s, table.Reading(proposalRow),
		"SELECT"+listColumns+" FROM proposals p"+s.Hints.IndexedBy("proposals_by_text")+" LEFT JOIN live l ON l.subject = p.subject "+
			"WHERE p.text_hash = $1 AND p.text_hash <> '' AND p.state <> 'approved' AND p.state <> 'withdrawn' AND p.id <> $2 ORDER BY p.seq DESC LIMIT $3",
		textHash, excluded, limit)
}

// Counts implements review.ProposalReader. It reads counters that the database updates with every change of a
// proposal.
func (s Proposals) Counts(ctx context.Context) (map[proposals.State]int, error) {
	counts := map[proposals.State]int{}
	err := s.Each(ctx, "SELECT state, n FROM counters", nil, func(row table.Scanner) error {
		var state proposals.State
		var n int
		err := row.Scan(&state, &n)
		counts[state] = n
		return err
	})
	return counts, err
}

// AddProposal implements review.ProposalWriter.
func (s Proposals) AddProposal(ctx context.Context, p proposals.Proposal, r proposals.Revision, i *proposals.Issue) (string, error) {
	if i != nil { // no other process writes during the transaction, so table.Add assigns the same number
		if err := s.Row(ctx, "SELECT coalesce(max(number), 0) + 1 FROM issues", nil, &p.Issue); err != nil {
			return "", err
		}
	}
	err := table.Add(ctx, s, ProposalTable.Name, "seq", slices.Concat(proposalColumns(&p), table.Columns{
		table.Col("kind", (*string)(&p.Subject.Kind)), table.Col("layer", (*string)(&p.Subject.Layer)), table.Col("subject_id", &p.Subject.ID), textHash(r),
	}))
	if err != nil {
		return "", fmt.Errorf("proposal %s: %w", p.ID, err)
	}
	if i != nil {
		if err := table.Add(ctx, s, IssueTable.Name, "number", issueColumns(i)[1:]); err != nil {
			return "", err
		}
	}
	return RevisionTable.Append(ctx, s, r)
}

// AddRevision implements review.ProposalWriter.
func (s Proposals) AddRevision(ctx context.Context, p proposals.Proposal, r proposals.Revision) (string, error) {
	p.Revision = r.Number
	set := append(proposalColumns(&p).Pick("type", "title", "revision", "content_hash", "base_version", "change_set", "updated_at"), textHash(r))
	n, err := table.Update(ctx, s, ProposalTable.Name, set, "id = ? AND revision = ?", p.ID, r.Number-1)
	if err := table.ChangedOne(n, err, "proposal "+string(p.ID)); err != nil {
		return "", err
	}
	return RevisionTable.Append(ctx, s, r)
}

// textHash returns the column that SameText compares to find proposals with the same text.
func textHash(r proposals.Revision) table.Column {
	return table.Col("text_hash", new(r.Draft.TextHash()))
}

// MoveProposal implements review.ProposalWriter.
func (s Proposals) MoveProposal(ctx context.Context, p proposals.Proposal, from proposals.State) error {
	set := proposalColumns(&p).Pick("state", "recommendation", "findings", "blocks", "warns", "worst", "waived_until", "updated_at")
	n, err := table.Update(ctx, s, ProposalTable.Name, set, "id = ? AND state = ? AND revision = ?", p.ID, from, p.Revision)
	return table.ChangedOne(n, err, "proposal "+string(p.ID))
}

// Issue implements review.RecordReader.
func (s Records) Issue(ctx context.Context, id proposals.ID) (proposals.Issue, error) {
	found, err := IssueTable.All(ctx, s.Reviews, "WHERE proposal = $1", id)
	return table.First(found, err, "issue of proposal %s", id)
}

// issueColumns returns the columns of an issue. Labels are stored one per line because they cannot contain line
// breaks.
func issueColumns(i *proposals.Issue) table.Columns {
	labels := table.Stored(&i.Labels, func(labels []string) string { return strings.Join(labels, "\n") }, func(text string) ([]string, error) { return strings.Split(text, "\n"), nil })
	return table.Columns{table.Col("number", &i.Number), table.Col("proposal", (*string)(&i.Proposal)), table.Col("title", &i.Title), table.Col("assignee", &i.Assignee), table.Col("status", (*string)(&i.Status)), table.Col("labels", labels)}
}

// OpenIssue implements review.ProposalWriter.
func (s Proposals) OpenIssue(ctx context.Context, i proposals.Issue) (int, error) {
	var number int
	if err := table.Add(ctx, s, IssueTable.Name, "number", issueColumns(&i)[1:]); err != nil {
		return 0, err
	}
	if err := s.Row(ctx, "SELECT number FROM issues WHERE proposal = $1", []any{i.Proposal}, &number); err != nil {
		return 0, err
	}
	n, err := s.Exec(ctx, "UPDATE proposals SET issue = $1 WHERE id = $2 AND issue = 0", number, i.Proposal)
	return number, table.ChangedOne(n, err, "proposal "+string(i.Proposal))
}

// AssignIssue implements review.ProposalWriter.
func (s Proposals) AssignIssue(ctx context.Context, id proposals.ID, assignee string, status proposals.IssueStatus) error {
	n, err := s.Exec(ctx, "UPDATE issues SET assignee = $1, status = $2 WHERE proposal = $3", assignee, status, id)
	return table.ChangedOne(n, err, "issue of proposal "+string(id))
}

func revisionColumns(r *proposals.Revision) table.Columns {
	return table.Columns{
		table.Col("proposal", (*string)(&r.Proposal)), table.Col("number", &r.Number), table.Col("draft", asDraft(r)), table.Col("content_hash", &r.ContentHash),
		table.Col("author", table.Actor(&r.Author)), table.Col("created_at", table.Time(&r.CreatedAt)),
	}
}

// asDraft returns the column value for the draft of a revision. Reading the value also sets r.Text.
func asDraft(r *proposals.Revision) table.Textual {
	return &table.StoredText[proposals.Draft]{
		V:     &r.Draft,
		Write: func(proposals.Draft) (string, error) { return r.Canonical(), nil },
		Read: func(text string) (proposals.Draft, error) {
			r.Text = text
			parsed, err := proposals.DecodeJSON([]byte(text))
			if err == nil && len(parsed) != 1 {
				err = fmt.Errorf("the revision contains %d drafts instead of one", len(parsed))
			}
			if err != nil {
				return proposals.Draft{}, err
			}
			return parsed[0].Draft, nil
		},
	}
}

// Revision implements review.ProposalReader.
func (s Proposals) Revision(ctx context.Context, id proposals.ID, number int) (proposals.Revision, error) {
	found, err := RevisionTable.All(ctx, s, "WHERE proposal = $1 AND number = $2", id, number)
	return table.First(found, err, "revision %d of proposal %s", number, id)
}

// Revisions implements review.ProposalReader.
func (s Proposals) Revisions(ctx context.Context, id proposals.ID) ([]proposals.Revision, error) {
	return RevisionTable.All(ctx, s, "WHERE proposal = $1 ORDER BY number", id)
}

// Statements that update many rows by compare-and-swap. The argument is a JSON array with an array of values for each
// row. The function json_each precedes the table, and the engine therefore finds each row by its key.
const (
	moveProposals = `UPDATE proposals SET state = json_extract(j.value, '$[3]'), updated_at = json_extract(j.value, '$[4]') FROM json_each($1, '$') j
		WHERE proposals.id = json_extract(j.value, '$[0]') AND proposals.state = json_extract(j.value, '$[1]')
		AND proposals.revision = CAST(json_extract(j.value, '$[2]') AS bigint)`
	assignIssues = `UPDATE issues SET assignee = json_extract(j.value, '$[1]'), status = json_extract(j.value, '$[2]') FROM json_each($1, '$') j
		WHERE issues.proposal = json_extract(j.value, '$[0]')`
)

// ApplyVerdict implements review.ProposalWriter.
func (s Proposals) ApplyVerdict(ctx context.Context, decided []review.DecidedProposal) error {
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

// updateAll runs a statement that updates one row for each element of list. It returns an error if a row has changed
// since the caller read it.
func (s Proposals) updateAll(ctx context.Context, statement string, list [][]any, noun string) error {
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	n, err := s.Exec(ctx, statement, string(text))
	if err == nil && n != int64(len(list)) {
		err = fmt.Errorf("%d of %d %s: %w: another process made a change first; check the current state, then try again", int64(len(list))-n, len(list), noun, proposals.ErrConflict)
	}
	return err
}

// The tables of the queue.
var (
	ProposalTable = table.Of("proposals", proposalColumns)
	IssueTable    = table.Of("issues", issueColumns)
	RevisionTable = table.Sealed("revisions", "toolcrib revision 1", revisionColumns)
)

// Records reads and writes the records about proposals. It combines the records of package records, such as
// assessments, with the issues and bundles of this package.
type Records struct {
	records.Reviews
	records.Log
}

// NewRecords returns the Records of the given session.
func NewRecords(s *session.Session) Records {
	return Records{records.Reviews{Session: s}, records.Log{Session: s}}
}
