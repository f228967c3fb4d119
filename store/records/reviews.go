// This file stores assessments, waivers, decisions, and comments.

package records

import (
	"context"
	"encoding/json"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// Reviews reads and writes the records about proposals.
type Reviews struct{ *session.Session }

func assessmentColumns(a *review.Assessment) table.Columns {
	return table.Columns{
		table.Col("id", &a.ID), table.Col("proposal", (*string)(&a.Proposal)), table.Col("revision", &a.Revision), table.Col("content_hash", &a.ContentHash),
		table.Col("reviewer", table.Actor(&a.Reviewer)), table.Col("recommendation", (*string)(&a.Recommendation)),
		table.Col("report", table.Stored(&a.Report, review.Report.Encode, review.DecodeReport)), table.Col("rules_version", &a.RulesVersion), table.Col("created_at", table.Time(&a.At)),
	}
}

// Assessments implements review.RecordReader.
func (s Reviews) Assessments(ctx context.Context, id proposals.ID, revision int) ([]review.Assessment, error) {
	return AssessmentTable.All(ctx, s, "WHERE proposal = $1 AND revision = $2 ORDER BY seq", id, revision)
}

// AddAssessment implements review.RecordWriter.
func (s Reviews) AddAssessment(ctx context.Context, a review.Assessment) (string, error) {
	return AssessmentTable.Append(ctx, s, a)
}

// Waiver is a waiver together with the id of its proposal.
type Waiver struct {
	history.Waiver
	Proposal proposals.ID
}

func waiverColumns(w *Waiver) table.Columns {
	return table.Columns{table.Col("id", &w.ID), table.Col("proposal", (*string)(&w.Proposal)), table.Col("waiver", AsWaiver(&w.Waiver)), table.Col("created_at", table.Time(&w.At))}
}

// AsWaiver returns the Textual that stores w as JSON.
func AsWaiver(w *history.Waiver) table.Textual {
	return table.Stored(w, history.EncodeWaiver, func(text string) (read history.Waiver, err error) {
		return read, json.Unmarshal([]byte(text), &read)
	})
}

// Waivers implements review.RecordReader.
func (s Reviews) Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error) {
	scan := table.Reading(WaiverTable.Columns)
	return table.All(ctx, s, func(row table.Scanner) (history.Waiver, error) {
		w, err := scan(row)
		return w.Waiver, err
	}, WaiverTable.Select("WHERE proposal = $1 ORDER BY seq"), id)
}

// AddWaiver implements review.RecordWriter.
func (s Reviews) AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error) {
	return WaiverTable.Append(ctx, s, Waiver{w, id})
}

func decisionColumns(d *proposals.Decision) table.Columns {
	return table.Columns{
		table.Col("id", &d.ID), table.Col("proposal", (*string)(&d.Proposal)), table.Col("revision", &d.Revision), table.Col("subject", table.Subject(&d.Subject)),
		table.Col("content_hash", &d.ContentHash), table.Col("verdict", (*string)(&d.Verdict)), table.Col("note", &d.Note), table.Col("decided_by", table.Actor(&d.By)),
		table.Col("decided_at", table.Time(&d.At)), table.Col("assessment", &d.Assessment), table.Col("review_digest", &d.ReviewDigest), table.Col("version", &d.Version),
		table.Col("version_hash", &d.VersionHash), table.Col("signature", &d.Signature), table.Col("shown", (*string)(&d.Shown)), table.Col("members", &d.Members),
		table.Later("reading", table.StoredJSON(&d.Reading, encodeReading)),
	}
}

func encodeReading(r proposals.Reading) ([]byte, error) {
	if r.IsZero() {
		return nil, nil
	}
	return jsondoc.Marshal(r)
}

// numberedDecision returns the columns of a decision, including its seal, and the number of its
// proposal.
func numberedDecision(d *proposals.Decision) table.Columns {
	return append(DecisionTable.Columns(d), IssueOfDecision(d))
}

// IssueOfDecision returns the column with the number of the proposal that d decides.
func IssueOfDecision(d *proposals.Decision) table.Column {
	return table.Col("(SELECT issue FROM proposals p WHERE p.id = decisions.proposal)", &d.Issue)
}

// selectDecision is the start of a query that selects the columns of numberedDecision.
var selectDecision = "SELECT " + numberedDecision(new(proposals.Decision)).Names() + " FROM decisions "

// Decisions implements review.RecordReader.
func (s Reviews) Decisions(ctx context.Context, id proposals.ID) ([]proposals.Decision, error) {
	return table.All(ctx, s, table.Reading(numberedDecision), selectDecision+"WHERE proposal = $1 ORDER BY seq", id)
}

// Rejection implements review.RecordReader. A rejection no longer counts after an approval of the same content.
func (s Reviews) Rejection(ctx context.Context, subject registry.Subject, contentHash string) (proposals.Decision, error) {
	found, err := table.All(ctx, s, table.Reading(numberedDecision),
		selectDecision+`WHERE subject = $1 AND content_hash = $2 AND verdict = 'rejected' AND NOT EXISTS (
		SELECT 1 FROM versions v JOIN decisions a ON a.proposal = v.proposal AND a.seq > decisions.seq WHERE v.subject = $1 AND v.content_hash = $2)
		ORDER BY seq DESC LIMIT 1`, subject.String(), contentHash)
	return table.First(found, err, "rejection of %s", subject)
}

// AddDecisions implements review.RecordWriter.
func (s Reviews) AddDecisions(ctx context.Context, decisions []proposals.Decision) ([]string, error) {
	ends, err := EndsOf(ctx, s.Session)
	if err != nil {
		return nil, err
	}
	seals, err := DecisionTable.AppendAll(ctx, s, ends.decisions+1, decisions)
	if err == nil {
		ends.decisions += int64(len(decisions))
	}
	return seals, err
}

func commentColumns(c *proposals.Comment) table.Columns {
	return table.Columns{
		table.Col("id", &c.ID), table.Col("proposal", (*string)(&c.Proposal)), table.Col("revision", &c.Revision), table.Col("author", table.Actor(&c.Author)),
		table.Col("created_at", table.Time(&c.At)), table.Col("body", &c.Body), table.Col("field", &c.Field), table.Col("line", &c.Line),
	}
}

// Comments implements review.RecordReader.
func (s Reviews) Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error) {
	return CommentTable.All(ctx, s, "WHERE proposal = $1 ORDER BY seq", id)
}

// AddComment implements review.RecordWriter.
func (s Reviews) AddComment(ctx context.Context, c proposals.Comment) (string, error) {
	return CommentTable.Append(ctx, s, c)
}

// The tables of this file. Their rows are sealed.
var (
	AssessmentTable = table.Sealed("assessments", "toolcrib assessment 1", assessmentColumns)
	WaiverTable     = table.Sealed("waivers", "toolcrib waiver 1", waiverColumns)
	DecisionTable   = table.Sealed("decisions", "toolcrib decision 1", decisionColumns)
	CommentTable    = table.Sealed("comments", "toolcrib comment 1", commentColumns)
)
