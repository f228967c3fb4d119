package store

import (
	"context"
	"encoding/json"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// recordTables have the records about proposals.
type recordTables struct{ *session }

func assessmentColumns(a *review.Assessment) columns {
	return columns{
		col("id", &a.ID), col("proposal", (*string)(&a.Proposal)), col("revision", &a.Revision), col("content_hash", &a.ContentHash),
		col("reviewer", asActor(&a.Reviewer)), col("recommendation", (*string)(&a.Recommendation)),
		col("report", stored(&a.Report, review.Report.Encode, review.DecodeReport)), col("rules_version", &a.RulesVersion), col("created_at", asTime(&a.At)),
	}
}

// Assessments implements review.RecordReader.
func (s recordTables) Assessments(ctx context.Context, id proposals.ID, revision int) ([]review.Assessment, error) {
	return all(ctx, s, reading(sealedAssessment), assessmentRecords.selection("WHERE proposal = $1 AND revision = $2 ORDER BY seq"), id, revision)
}

// AddAssessment implements review.RecordWriter.
func (s recordTables) AddAssessment(ctx context.Context, a review.Assessment) (string, error) {
	return record(ctx, s, assessmentRecords, assessmentColumns(&a))
}

// waiver is a waiver with the proposal that it is about.
type waiver struct {
	history.Waiver
	proposal proposals.ID
}

func waiverColumns(w *waiver) columns {
	return columns{col("id", &w.ID), col("proposal", (*string)(&w.proposal)), col("waiver", asWaiver(&w.Waiver)), col("created_at", asTime(&w.At))}
}

func asWaiver(w *history.Waiver) textual {
	return stored(w, history.EncodeWaiver, func(text string) (read history.Waiver, err error) {
		return read, json.Unmarshal([]byte(text), &read)
	})
}

// Waivers implements review.RecordReader.
func (s recordTables) Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error) {
	scan := reading(sealedWaiver)
	return all(ctx, s, func(row scanner) (history.Waiver, error) {
		w, err := scan(row)
		return w.Waiver, err
	}, waiverRecords.selection("WHERE proposal = $1 ORDER BY seq"), id)
}

// AddWaiver implements review.RecordWriter.
func (s recordTables) AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error) {
	return record(ctx, s, waiverRecords, waiverColumns(&waiver{w, id}))
}

func decisionColumns(d *proposals.Decision) columns {
	return columns{
		col("id", &d.ID), col("proposal", (*string)(&d.Proposal)), col("revision", &d.Revision), col("subject", asSubject(&d.Subject)),
		col("content_hash", &d.ContentHash), col("verdict", (*string)(&d.Verdict)), col("note", &d.Note), col("decided_by", asActor(&d.By)),
		col("decided_at", asTime(&d.At)), col("assessment", &d.Assessment), col("review_digest", &d.ReviewDigest), col("version", &d.Version),
		col("version_hash", &d.VersionHash), col("signature", &d.Signature), col("shown", (*string)(&d.Shown)), col("members", &d.Members),
	}
}

// numberedDecision are the columns of a decision with its seal and the number of its proposal.
func numberedDecision(d *proposals.Decision) columns {
	return append(decisionRecords.sealed(decisionColumns(d)), issueOfDecision(d))
}

func issueOfDecision(d *proposals.Decision) column {
	return col("(SELECT issue FROM proposals p WHERE p.id = decisions.proposal)", &d.Issue)
}

// selectDecision is the beginning of a query for numberedDecision.
var selectDecision = "SELECT " + numberedDecision(new(proposals.Decision)).names() + " FROM decisions "

// Decisions implements review.RecordReader.
func (s recordTables) Decisions(ctx context.Context, id proposals.ID) ([]proposals.Decision, error) {
	return all(ctx, s, reading(numberedDecision), selectDecision+"WHERE proposal = $1 ORDER BY seq", id)
}

// Rejection implements review.RecordReader.
func (s recordTables) Rejection(ctx context.Context, subject registry.Subject, contentHash string) (proposals.Decision, error) {
	found, err := all(ctx, s, reading(numberedDecision),
		selectDecision+"WHERE subject = $1 AND content_hash = $2 AND verdict = 'rejected' ORDER BY seq DESC LIMIT 1", subject.String(), contentHash)
	return first(found, err, "rejection of %s", subject)
}

// AddDecisions implements review.RecordWriter.
func (s recordTables) AddDecisions(ctx context.Context, decisions []proposals.Decision) ([]string, error) {
	rows := make([]columns, len(decisions))
	for i := range decisions {
		rows[i] = decisionColumns(&decisions[i])
	}
	ends, err := tails(ctx, s.session)
	if err != nil {
		return nil, err
	}
	seals, err := records(ctx, s, decisionRecords, ends.decisions+1, rows)
	if err == nil {
		ends.decisions += int64(len(rows))
	}
	return seals, err
}

func commentColumns(c *proposals.Comment) columns {
	return columns{
		col("id", &c.ID), col("proposal", (*string)(&c.Proposal)), col("revision", &c.Revision), col("author", asActor(&c.Author)),
		col("created_at", asTime(&c.At)), col("body", &c.Body), col("field", &c.Field), col("line", &c.Line),
	}
}

// Comments implements review.RecordReader.
func (s recordTables) Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error) {
	return all(ctx, s, reading(sealedComment), commentRecords.selection("WHERE proposal = $1 ORDER BY seq"), id)
}

// AddComment implements review.RecordWriter.
func (s recordTables) AddComment(ctx context.Context, c proposals.Comment) (string, error) {
	return record(ctx, s, commentRecords, commentColumns(&c))
}

// The columns of records with their seals.
func sealedAssessment(a *review.Assessment) columns {
	return assessmentRecords.sealed(assessmentColumns(a))
}

func sealedWaiver(w *waiver) columns { return waiverRecords.sealed(waiverColumns(w)) }

func sealedComment(c *proposals.Comment) columns { return commentRecords.sealed(commentColumns(c)) }

// The sealed tables.
var (
	assessmentRecords = recordsOf("assessments", "toolcrib assessment 1", assessmentColumns)
	waiverRecords     = recordsOf("waivers", "toolcrib waiver 1", waiverColumns)
	decisionRecords   = recordsOf("decisions", "toolcrib decision 1", decisionColumns)
	commentRecords    = recordsOf("comments", "toolcrib comment 1", commentColumns)
)
