package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry/wire"
	"toolcrib/review"
)

// queueChecks compare proposals and issues, which are not sealed, with the records:
// the last revision, the last assessment, the decisions, and the log.
func queueChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"proposals", `SELECT p.id FROM proposals p WHERE (p.state = 'approved') <> EXISTS (SELECT 1 FROM decisions d
			WHERE d.proposal = p.id AND d.verdict = 'approved' AND d.revision = p.revision AND d.content_hash = p.content_hash)`,
			"Its state and its decisions do not agree.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p WHERE NOT EXISTS (SELECT 1 FROM revisions r
			WHERE r.proposal = p.id AND r.number = p.revision AND r.content_hash = p.content_hash)
			OR p.revision <> (SELECT max(number) FROM revisions WHERE proposal = p.id)
			OR NOT EXISTS (SELECT 1 FROM revisions WHERE proposal = p.id AND number = 1 AND author = p.author AND created_at = p.created_at)`,
			"It does not match its revisions.",
		},
		{"proposals", shownFindings, "The queue's values of it do not match its last assessment."},
		{"proposals", statesFromLog, "Its state, or the time of it, does not follow from the log."},
		{
			"proposals", `SELECT id FROM (SELECT p.id, r.seq AS written, lag(r.seq, 1, 0) OVER (ORDER BY p.seq) AS before
				FROM proposals p JOIN revisions r ON r.proposal = p.id AND r.number = 1) placed WHERE written <= before`,
			"Its place differs from the order in which proposals were drafted.",
		},
		{
			"proposals", `SELECT p.id FROM proposals p LEFT JOIN issues i ON i.proposal = p.id WHERE p.issue <> coalesce(i.number, 0)`,
			"Its issue does not match.",
		},
		{
			"issues", `SELECT '#' || i.number FROM issues i LEFT JOIN proposals p ON p.id = i.proposal
			WHERE p.id IS NULL OR i.status <> CASE WHEN p.state IN ('approved', 'rejected', 'withdrawn') THEN 'closed' ELSE 'open' END
			OR i.assignee <> CASE p.state WHEN 'chief_review' THEN 'chief' WHEN 'user_review' THEN 'user' WHEN 'needs_changes' THEN p.author ELSE '' END`,
			"Its status or its assignee does not follow from the state of its proposal.",
		},
		{ // checkDrafts compares those whose current revision is the one that was submitted
			"issues", `SELECT '#' || i.number FROM issues i JOIN proposals p ON p.id = i.proposal
			LEFT JOIN events e ON e.proposal = p.id AND e.proposal <> '' AND e.act = 'submit'
			LEFT JOIN revisions r ON r.proposal = p.id AND r.number = e.revision
			WHERE e.revision IS DISTINCT FROM p.revision AND (i.title IS DISTINCT FROM '[' || upper(substr(p.kind, 1, 1)) || substr(p.kind, 2) || ' Proposal] ' || coalesce(nullif(json_extract(r.draft, '$.definition.name'), ''), p.subject_id)
			OR i.labels IS DISTINCT FROM p.kind || '-proposal
' || json_extract(r.draft, '$.type') || '
' || p.layer || coalesce('
set:' || (json_extract(r.draft, '$.changeSet')), ''))`,
			otherIssue,
		},
		{
			"proposal_rules", rulesOfFindings,
			"Filters find the proposal by rules that its last assessment lacks, or miss it.",
		},
		{
			"counters", `SELECT coalesce(c.state, k.state) FROM (SELECT state, count(*) AS n FROM proposals GROUP BY state) c
			FULL JOIN counters k ON k.state = c.state WHERE coalesce(c.n, 0) <> coalesce(k.n, 0)`,
			"The counter is not the number of proposals.",
		},
	}
}

// statesFromLog finds proposals whose state is not the one of the last act that
// moved them. A revision of a submitted proposal goes back to the chief; a waiver
// leaves it where it is.
const statesFromLog = `
	SELECT p.id FROM proposals p WHERE p.state || ' ' || p.updated_at IS DISTINCT FROM (
		SELECT CASE e.act WHEN 'draft' THEN 'draft' WHEN 'submit' THEN 'chief_review' WHEN 'assess' THEN 'user_review' WHEN 'waive' THEN 'user_review' WHEN 'unwaive' THEN 'user_review' WHEN 'endorse' THEN 'user_review'
			WHEN 'approve' THEN 'approved' WHEN 'needs-changes' THEN 'needs_changes' WHEN 'reject' THEN 'rejected' WHEN 'withdraw' THEN 'withdrawn'
			WHEN 'revise' THEN CASE WHEN p.issue > 0 THEN 'chief_review' ELSE 'draft' END END || ' ' || e.at
		FROM events e WHERE e.proposal = p.id AND e.proposal <> ''
		AND e.act IN ('draft', 'submit', 'assess', 'waive', 'unwaive', 'endorse', 'approve', 'needs-changes', 'reject', 'withdraw', 'revise')
		ORDER BY e.seq DESC LIMIT 1)`

// rulesOfFindings compares the rules that filters find proposals by with the last
// assessment of their revision. Those without findings are not parsed.
const rulesOfFindings = `
	WITH last AS MATERIALIZED (SELECT p.id, p.seq, (SELECT a.seq FROM assessments a
		WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1) AS assessment FROM proposals p),
	want AS (SELECT DISTINCT l.seq, json_extract(f.value, '$.rule') AS rule FROM last l JOIN assessments a ON a.seq = l.assessment,
		json_each(a.report, '$.findings') f WHERE instr(a.report, '"findings":[]') = 0)
	SELECT 'row ' || coalesce(w.seq, r.proposal) FROM want w FULL JOIN proposal_rules r ON r.proposal = w.seq AND r.rule = w.rule
	WHERE w.seq IS NULL OR r.proposal IS NULL`

// shownFindings finds proposals whose counts of findings differ from the last
// assessment of their revision. It counts blocks while nothing was waived;
// waivedCounts does so otherwise. Most reports have no findings and are not parsed:
// in a JSON string, the quotes of the text searched for would be escaped.
var shownFindings = strings.ReplaceAll(`
	SELECT q.id FROM (SELECT p.*, EXISTS (SELECT 1 FROM waivers w WHERE w.proposal = p.id) AS waived, coalesce((SELECT a.seq FROM assessments a
		WHERE a.proposal = p.id AND a.revision = p.revision ORDER BY a.seq DESC LIMIT 1), 0) AS last FROM proposals p) q
	LEFT JOIN assessments a ON a.seq = q.last
	WHERE q.recommendation <> coalesce(a.recommendation, '')
	OR NOT q.waived AND q.waived_until <> ''
	OR CASE WHEN a.report IS NULL OR instr(a.report, '"findings":[]') > 0
		THEN q.findings <> 0 OR q.worst <> '' OR NOT q.waived AND (q.blocks <> 0 OR q.warns <> 0)
		ELSE q.findings <> (SELECT count(*) FROM FINDINGS)
		OR q.worst <> coalesce((SELECT json_extract(value, '$.severity') FROM FINDINGS
			ORDER BY CASE json_extract(value, '$.severity') WHEN 'block' THEN 1 WHEN 'warn' THEN 2 ELSE 3 END LIMIT 1), '')
		OR NOT q.waived AND (q.blocks <> (SELECT count(*) FROM FINDINGS WHERE json_extract(value, '$.severity') = 'block')
			OR q.warns <> (SELECT count(*) FROM FINDINGS WHERE json_extract(value, '$.severity') = 'warn'))
		END`, "FINDINGS", "json_each(a.report, '$.findings') f")

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
			return proposalTables{s}.checkDrafts(ctx, first, l.facts, fn)
		}})
	}
	return list, err
}

// checkDrafts reports proposals of a block that lists show otherwise, or that are
// found by another text, than their last revision says. A draft that nobody can
// read is reported with the revisions.
func (s proposalTables) checkDrafts(ctx context.Context, first int64, facts *facts, fn func(history.Damage)) error {
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

// waivedCounts reports proposals with waivers whose count of blocks differs from
// what the review service counted at the last assessment or waiver. Only the
// service knows what a waiver covers, so it counts again.
func waivedCounts(ctx context.Context, s *session, fn func(history.Damage)) error {
	ids, err := all(ctx, s, scanValue[proposals.ID], "SELECT DISTINCT w.proposal FROM waivers w JOIN proposals p ON p.id = w.proposal")
	if err != nil {
		return err
	}
	for _, id := range ids {
		agrees, err := recordTables{s}.agrees(ctx, id)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case ofEngine(s.engine, err):
			return err
		case err != nil:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "Its blocking findings cannot be counted: " + err.Error() + "."})
		case !agrees:
			fn(history.Damage{Table: "proposals", Key: string(id), Message: "Its number of blocking findings in the queue does not match its findings and waivers."})
		}
	}
	return nil
}

func (s recordTables) agrees(ctx context.Context, id proposals.ID) (bool, error) {
	p, err := proposalTables(s).Proposal(ctx, id)
	if err != nil {
		return false, err
	}
	var counted string
	err = s.Row(ctx, `SELECT coalesce((SELECT at FROM events WHERE proposal = $1 AND proposal <> '' AND revision = $2 AND act IN ('assess', 'waive', 'unwaive')
		ORDER BY seq DESC LIMIT 1), '')`, []any{id, p.Revision}, &counted)
	if err != nil {
		return false, err
	}
	as, err := s.Assessments(ctx, id, p.Revision)
	if err != nil {
		return false, err
	}
	if len(as) == 0 {
		return p.Summary == proposals.Summary{}, nil
	}
	waivers, err := s.Waivers(ctx, id)
	if err != nil {
		return false, err
	}
	at, err := history.ParseTimestamp(counted)
	if err != nil {
		return false, errors.Join(ErrDamaged, err)
	}
	want := review.Tally(as[len(as)-1], waivers, at)
	return p.Summary.Blocks == want.Blocks && p.Summary.Warns == want.Warns && p.Summary.WaivedUntil.Equal(want.WaivedUntil.Truncate(time.Microsecond)), nil
}

// importChecks compare imports, which have no seal of their own, with their
// events, which repeat every column.
func importChecks() []consistencyCheck {
	return []consistencyCheck{
		{
			"imports", `SELECT 'imports row ' || i.seq FROM imports i LEFT JOIN events e ON e.id = i.id AND e.act = 'import'
			WHERE (i.at, i.actor, i.format, i.label, i.hash, i.capabilities, i.tools) IS DISTINCT FROM
			(e.at, e.actor, json_extract(e.data, '$.format'), json_extract(e.data, '$.label'), json_extract(e.data, '$.hash'), json_extract(e.data, '$.capabilities'), json_extract(e.data, '$.tools'))`,
			"It does not match the import in the log.",
		},
		{
			"raws", `SELECT DISTINCT t.value FROM imports i, json_each(i.tools, '$') t WHERE t.value NOT IN (SELECT hash FROM raws)`,
			"The JSON imported under this hash is missing.",
		},
		{
			"imports", `SELECT 'imports row ' || seq FROM (SELECT i.seq, e.seq AS logged, row_number() OVER in_order AS place, lag(e.seq) OVER in_order AS logged_before
			FROM imports i JOIN events e ON e.id = i.id WINDOW in_order AS (ORDER BY i.seq)) placed WHERE seq <> place OR logged <= logged_before`,
			"Its place differs from the one in the log.",
		},
		{
			"events", `SELECT 'event ' || e.seq FROM events e WHERE e.act = 'import' AND NOT EXISTS (SELECT 1 FROM imports i WHERE i.id = e.id)`,
			"Its import is missing.",
		},
	}
}

// rawContents reports imported JSON that is not what its hash says.
func rawContents(ctx context.Context, s *session, fn func(history.Damage)) error {
	return s.Each(ctx, "SELECT hash, body FROM raws ORDER BY hash", nil, func(row scanner) error {
		var hash string
		var body []byte
		if err := row.Scan(&hash, &body); err != nil {
			return err
		}
		if got, err := wire.HashRaw(body); err != nil || got != hash {
			fn(history.Damage{Table: "raws", Key: hash, Message: "Its content does not match its hash."})
		}
		return nil
	})
}
