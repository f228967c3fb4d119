package store

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"toolcrib/history"
	"toolcrib/proposals"
)

// otherIssue is the damage of an issue that was opened with other words.
const otherIssue = "Its title or its labels do not match the submission."

// draftBlock sets how many proposals one inspection of their drafts reads.
const draftBlock = 1024

// draftInspections returns the inspections that hold proposals against their last
// revision, one for each block.
func (l Ledger) draftInspections(ctx context.Context) ([]inspection, error) {
	var last int64
	err := l.use(ctx, func(s *session) error {
		return s.Row(ctx, "SELECT coalesce(max(seq), 0) FROM proposals", nil, &last)
	})
	var list []inspection
	for first := int64(1); first <= last; first += draftBlock {
		list = append(list, inspection{"proposals", func(ctx context.Context, s *session, fn func(history.Damage)) error {
			return s.checkDrafts(ctx, first, l.facts, fn)
		}})
	}
	return list, err
}

// checkDrafts reports proposals of a block that lists show otherwise, or that are
// found by another text, than their last revision says. A draft that nobody can
// read is reported with the revisions.
func (s *session) checkDrafts(ctx context.Context, first int64, facts *facts, fn func(history.Damage)) error {
	return s.Each(ctx, `SELECT p.id, p.type, p.kind, p.layer, p.subject_id, p.subject, p.base_version, p.change_set, p.title, p.text_hash, r.draft,
			coalesce(i.number, 0), coalesce(i.title, ''), coalesce(i.labels, '')
		FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = p.revision
		LEFT JOIN issues i ON i.number = p.issue AND EXISTS (SELECT 1 FROM events e WHERE e.proposal = p.id AND e.proposal <> '' AND e.act = 'submit' AND e.revision = p.revision)
		WHERE p.seq BETWEEN $1 AND $2`, []any{first, first + draftBlock - 1}, func(row scanner) error {
		var id, kind, layer, subjectID, hash, issueTitle, labels string
		var text []byte
		var issue int
		var shown, want struct {
			kind                      proposals.Type
			subject, changeSet, title string
			base                      int
		}
		if err := row.Scan(&id, &shown.kind, &kind, &layer, &subjectID, &shown.subject, &shown.base, &shown.changeSet, &shown.title, &hash, &text, &issue, &issueTitle, &labels); err != nil {
			return err
		}
		draft, derived, err := facts.outlineOf(text)
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
			fn(history.Damage{Table: "issues", Key: fmt.Sprintf("#%d", issue), Message: otherIssue})
		}
		if draft.Type == proposals.Deactivate {
			derived.textHash = "" // it takes its text away
		}
		if hash != derived.textHash {
			fn(history.Damage{Table: "proposals", Key: id, Message: "Its entry in the search index does not match its text."})
		}
		return nil
	})
}
