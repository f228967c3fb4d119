package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
)

// recordTables have the records about proposals.
type recordTables struct{ *session }

// Assessments implements review.RecordReader.
func (s recordTables) Assessments(ctx context.Context, id proposals.ID, revision int) ([]review.Assessment, error) {
	return all(ctx, s, func(row scanner) (review.Assessment, error) {
		var a review.Assessment
		var reviewer, report, at string
		err := row.Scan(&a.ID, &a.Proposal, &a.Revision, &a.ContentHash, &reviewer, &a.Recommendation, &report, &a.RulesVersion, &at)
		if err != nil {
			return a, err
		}
		return a, errors.Join(
			into(&a.Reviewer, parseActor, reviewer),
			into(&a.Report, review.DecodeReport, report),
			into(&a.At, history.ParseTimestamp, at),
		)
	}, `SELECT id, proposal, revision, content_hash, reviewer, recommendation, report, rules_version, created_at
		FROM assessments WHERE proposal = $1 AND revision = $2 ORDER BY seq`, id, revision)
}

// AddAssessment implements review.RecordWriter.
func (s recordTables) AddAssessment(ctx context.Context, a review.Assessment) (string, error) {
	fields := []string{
		a.ID, string(a.Proposal), strconv.Itoa(a.Revision), a.ContentHash, a.Reviewer.String(), string(a.Recommendation),
		a.Report.Encode(), a.RulesVersion, history.Timestamp(a.At),
	}
	return s.record(ctx, assessmentRecords, fields)
}

// Waivers implements review.RecordReader.
func (s recordTables) Waivers(ctx context.Context, id proposals.ID) ([]history.Waiver, error) {
	return all(ctx, s, func(row scanner) (history.Waiver, error) {
		var w history.Waiver
		var text string
		if err := row.Scan(&text); err != nil {
			return w, err
		}
		return w, into(&w, parseWaiver, text)
	}, "SELECT waiver FROM waivers WHERE proposal = $1 ORDER BY seq", id)
}

func parseWaiver(s string) (history.Waiver, error) {
	var w history.Waiver
	err := json.Unmarshal([]byte(s), &w)
	return w, err
}

// AddWaiver implements review.RecordWriter.
func (s recordTables) AddWaiver(ctx context.Context, id proposals.ID, w history.Waiver) (string, error) {
	return s.record(ctx, waiverRecords, []string{w.ID, string(id), history.EncodeWaiver(w), history.Timestamp(w.At)})
}

const (
	decisionFields = `id, proposal, revision, subject, content_hash, verdict, note, decided_by, decided_at,
	assessment, review_digest, version, version_hash, signature, shown, members,
	(SELECT issue FROM proposals p WHERE p.id = decisions.proposal)`
	selectDecision = "SELECT " + decisionFields + " FROM decisions "
)

func scanDecision(row scanner) (review.Decision, error) {
	var d review.Decision
	var subject, by, at string
	err := row.Scan(&d.ID, &d.Proposal, &d.Revision, &subject, &d.ContentHash, &d.Verdict, &d.Note, &by, &at,
		&d.Assessment, &d.ReviewDigest, &d.Version, &d.VersionHash, &d.Signature, &d.Shown, &d.Members, &d.Issue)
	if err != nil {
		return d, err
	}
	return d, errors.Join(
		into(&d.Subject, registry.ParseSubject, subject),
		into(&d.By, parseActor, by),
		into(&d.At, history.ParseTimestamp, at),
	)
}

// Decisions implements review.RecordReader.
func (s recordTables) Decisions(ctx context.Context, id proposals.ID) ([]review.Decision, error) {
	return all(ctx, s, scanDecision, selectDecision+"WHERE proposal = $1 ORDER BY seq", id)
}

// Rejection implements review.RecordReader.
func (s recordTables) Rejection(ctx context.Context, subject registry.Subject, contentHash string) (review.Decision, error) {
	found, err := all(ctx, s, scanDecision,
		selectDecision+"WHERE subject = $1 AND content_hash = $2 AND verdict = 'rejected' ORDER BY seq DESC LIMIT 1", subject.String(), contentHash)
	return first(found, err, "rejection of %s", subject)
}

// AddDecisions implements review.RecordWriter.
func (s recordTables) AddDecisions(ctx context.Context, decisions []review.Decision) ([]string, error) {
	rows := make([][]string, len(decisions))
	for i, d := range decisions {
		rows[i] = []string{
			d.ID, string(d.Proposal), strconv.Itoa(d.Revision), d.Subject.String(), d.ContentHash, string(d.Verdict), d.Note, d.By.String(),
			history.Timestamp(d.At), d.Assessment, d.ReviewDigest, strconv.Itoa(d.Version), d.VersionHash, d.Signature, string(d.Shown), d.Members,
		}
	}
	ends, err := s.tails(ctx)
	if err != nil {
		return nil, err
	}
	seals, err := s.records(ctx, decisionRecords, ends.decisions+1, rows)
	if err == nil {
		ends.decisions += int64(len(rows))
	}
	return seals, err
}

// Comments implements review.RecordReader.
func (s recordTables) Comments(ctx context.Context, id proposals.ID) ([]proposals.Comment, error) {
	return all(ctx, s, func(row scanner) (proposals.Comment, error) {
		var c proposals.Comment
		var author, at string
		err := row.Scan(&c.ID, &c.Proposal, &c.Revision, &author, &at, &c.Body, &c.Field, &c.Line)
		if err != nil {
			return c, err
		}
		return c, errors.Join(into(&c.Author, parseActor, author), into(&c.At, history.ParseTimestamp, at))
	}, "SELECT id, proposal, revision, author, created_at, body, field, line FROM comments WHERE proposal = $1 ORDER BY seq", id)
}

// AddComment implements review.RecordWriter.
func (s recordTables) AddComment(ctx context.Context, c proposals.Comment) (string, error) {
	return s.record(ctx, commentRecords, []string{
		c.ID, string(c.Proposal), strconv.Itoa(c.Revision), c.Author.String(), history.Timestamp(c.At), c.Body, c.Field, strconv.Itoa(c.Line),
	})
}

// recordKind is a table of sealed rows: its columns in the order in which the
// seal covers them, after the format's name.
type recordKind struct {
	table, format string
	columns       string
}

// record appends a sealed row and returns the seal.
func (s *session) record(ctx context.Context, k recordKind, fields []string) (string, error) {
	seq, err := s.next(ctx, k.table)
	if err != nil {
		return "", err
	}
	seals, err := s.records(ctx, k, seq, [][]string{fields})
	if err != nil {
		return "", err
	}
	return seals[0], nil
}

// records appends sealed rows, numbered from seq, and returns their seals. STRICT
// tables turn the digits of integer columns into integers.
func (s *session) records(ctx context.Context, k recordKind, seq int64, rows [][]string) ([]string, error) {
	seals := make([]string, len(rows))
	var values []any
	for i, fields := range rows {
		seals[i] = history.Seal(append([]string{k.format}, fields...)...)
		values = append(values, seq+int64(i))
		for _, f := range fields {
			values = append(values, f)
		}
		values = append(values, seals[i])
	}
	if err := s.insertRows(ctx, k.table, "seq, "+k.columns+", seal", values); err != nil {
		return nil, fmt.Errorf("%s: %w", k.table, err)
	}
	return seals, nil
}

// The sealed tables.
var (
	assessmentRecords = recordKind{"assessments", "toolcrib assessment 1", "id, proposal, revision, content_hash, reviewer, recommendation, report, rules_version, created_at"}
	waiverRecords     = recordKind{"waivers", "toolcrib waiver 1", "id, proposal, waiver, created_at"}
	decisionRecords   = recordKind{"decisions", "toolcrib decision 1", "id, proposal, revision, subject, content_hash, verdict, note, decided_by, decided_at, assessment, review_digest, version, version_hash, signature, shown, members"}
	commentRecords    = recordKind{"comments", "toolcrib comment 1", "id, proposal, revision, author, created_at, body, field, line"}
	pendingRecords    = recordKind{"pending_calls", "toolcrib pending call 1", `id, caller, agent, "user", tool, version, content_hash, args, said, digest, asked_at, expires_at`}
	tokenRecords      = recordKind{"tokens", "toolcrib token 1", "id, caller, secret_hash, created_by, created_at, expires_at"}
	tokenEndRecords   = recordKind{"token_revocations", "toolcrib token revocation 1", "id, token, reason, revoked_by, revoked_at"}
	answerRecords     = recordKind{"call_answers", "toolcrib call answer 1", "id, pending, approved, digest, reason, answered_by, answered_at, call, signature"}
	tierRecords       = recordKind{"call_tiers", "toolcrib call tier 1", `id, "user", tool, tier, set_by, set_at, signature`}
	signatureRecords  = recordKind{"signatures", "toolcrib signature 1", "hash, statement, signature, signed_by, created_at"}
	revisionRecords   = recordKind{"revisions", "toolcrib revision 1", "proposal, number, draft, content_hash, author, created_at"}
)

// stamp is the current time at the resolution that is stored.
func (db *DB) stamp() time.Time { return db.now().UTC().Truncate(time.Microsecond) }
