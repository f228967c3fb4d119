// This file checks the columns of proposals that are derived from drafts, waivers, and findings.

package verification

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/engine"
	"toolcrib/store/queue"
	"toolcrib/store/records"
	"toolcrib/store/session"
	"toolcrib/store/table"
)

// draftBlock is the number of proposals that a single inspection of drafts compares.
const draftBlock = 1024

// draftInspections returns an inspection for each block of proposals. The inspection compares the proposals with their
// last revisions.
func (l Ledger) draftInspections(ctx context.Context) ([]inspection, error) {
	var last int64
	err := l.use(ctx, func(s *session.Session) error {
		return s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM proposals", nil, &last)
	})
	var list []inspection
	for first := int64(1); first <= last; first += draftBlock {
		list = append(list, inspection{"proposals", func(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
			return checkDrafts(ctx, s, first, l.facts, fn)
		}})
	}
	return list, err
}

// checkDrafts compares the proposals of the block that begins at number start with their last revisions. It reports
// proposals if their columns for lists and searches differ. Drafts that cannot be decoded are reported elsewhere, with
// the revisions.
func checkDrafts(ctx context.Context, s *session.Session, start int64, facts *derivedFacts, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT p.id, p.type, p.kind, p.layer, p.subject_id, p.subject, p.base_version, p.change_set, p.title, p.text_hash, r.draft,
			coalesce(i.number, 0), coalesce(i.title, ''), coalesce(i.labels, ''),
			p.state = 'approved' AND EXISTS (SELECT 1 FROM live l WHERE l.subject = p.subject AND l.version = p.base_version + 1)
		FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
		LEFT JOIN issues i ON i.number = p.issue AND EXISTS (SELECT 1 FROM events e WHERE e.proposal = p.id AND e.proposal <> '' AND e.act = 'submit' AND e.revision = p.revision)
		WHERE p.seq BETWEEN $1 AND $2`, []any{start, start + draftBlock - 1}, func(row table.Scanner) error {
		var id, kind, layer, subjectID, hash, issueTitle, labels string
		var text []byte
		var issue int
		var live bool
		var shown, want struct {
			kind                      proposals.Type
			subject, changeSet, title string
			base                      int
		}
		if err := row.Scan(&id, &shown.kind, &kind, &layer, &subjectID, &shown.subject, &shown.base, &shown.changeSet, &shown.title, &hash, &text, &issue, &issueTitle, &labels, &live); err != nil {
			return err
		}
		draft, derived, err := facts.outlineOf(text, live)
		if err != nil {
			return fmt.Errorf("proposal %s: %w", id, err)
		}
		want.kind, want.subject, want.base, want.changeSet = draft.Type, draft.Subject.String(), draft.Base(), draft.ChangeSet
		want.title = cmp.Or(derived.name, draft.Subject.ID)
		if !namesSubject(shown.subject, kind, layer, subjectID) {
			fn(history.Damage{Table: "proposals", Key: id, Message: otherSubject})
		}
		if shown != want {
			fn(history.Damage{Table: "proposals", Key: id, Message: "Its row in the queue does not match its last revision."})
		}
		of := proposals.Proposal{Subject: draft.Subject, Type: draft.Type, ChangeSet: draft.ChangeSet}
		if issue > 0 && (issueTitle != proposals.IssueTitle(draft.Subject, want.title) || labels != strings.Join(proposals.IssueLabels(of), "\n")) {
			fn(history.Damage{Table: "issues", Key: fmt.Sprintf("#%d", issue), Message: "Its title or its labels do not match the submission."})
		}
		if draft.Type == proposals.Deactivate {
			derived.textHash = "" // a deactivation proposes no text
		}
		if hash != derived.textHash {
			fn(history.Damage{Table: "proposals", Key: id, Message: "Its entry in the search index does not match its text."})
		}
		return nil
	})
}

// waivedCounts checks the stored number of blocking findings of proposals with waivers, and reports wrong numbers. The
// number must be correct as of the last assessment or waiver. The function Tally of the review service counts the
// findings, because only the review service can determine which findings a waiver covers.
func waivedCounts(ctx context.Context, s *session.Session, fn func(history.Damage)) error {
	ids, err := table.All(ctx, s, table.ScanValue[proposals.ID], "SELECT DISTINCT w.proposal FROM waivers w JOIN proposals p ON p.id = w.proposal")
	if err != nil {
		return err
	}
	for _, id := range ids {
		agrees, err := blockingFindingsMatch(ctx, s, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case ofEngine(s.Engine, err):
			return err
		case err != nil:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "Cannot count its blocking findings: " + err.Error() + "."})
		case !agrees:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "The number of blocking findings in the queue does not match its findings and waivers."})
		}
	}
	return nil
}

func blockingFindingsMatch(ctx context.Context, s *session.Session, id proposals.ID) (bool, error) {
	p, err := queue.Proposals{Session: s}.Proposal(ctx, id)
	if err != nil {
		return false, err
	}
	var counted string
	err = s.Row(ctx, `SELECT coalesce((SELECT at FROM events WHERE proposal = $1 AND proposal <> '' AND revision = $2 AND act IN ('assess', 'waive', 'unwaive')
		ORDER BY seq DESC LIMIT 1), '')`, []any{id, p.Revision}, &counted)
	if err != nil {
		return false, err
	}
	as, err := records.Reviews{Session: s}.Assessments(ctx, id, p.Revision)
	if err != nil {
		return false, err
	}
	if len(as) == 0 {
		return p.Summary == proposals.Summary{}, nil
	}
	waivers, err := records.Reviews{Session: s}.Waivers(ctx, id)
	if err != nil {
		return false, err
	}
	at, err := history.ParseTimestamp(counted)
	if err != nil {
		return false, errors.Join(engine.ErrDamaged, err)
	}
	want := review.Tally(as[len(as)-1], waivers, at)
	return p.Summary.Blocks == want.Blocks && p.Summary.Warns == want.Warns && p.Summary.WaivedUntil.Equal(want.WaivedUntil.Truncate(time.Microsecond)), nil
}
