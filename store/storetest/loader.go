// This file writes the rows of a generated database.

package storetest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/overlap"
)

// loader writes the same rows as the desk would.
type loader struct {
	ctx   context.Context
	tx    *sql.Tx
	stmts map[string]*sql.Stmt
	rules string
	now   time.Time
	words vocabulary

	draftText, definitionText string        // with placeholders
	tool                      registry.Tool // likewise
	report                    string
	prev                      string // hash of the last event
	seq                       map[string]int64
	ids                       uint64
	versions                  []history.Version // first version of each tool
	text, purpose             overlap.Index     // sketches in the current block
	block                     int64
}

// Placeholders for an id and a text in a template.
const (
	markID   = "zz_mark_id"
	markText = "zz mark text"
)

const (
	author  = "agent:scout"
	decider = "user:ada"
)

func (l *loader) begin() error {
	l.words = newVocabulary()
	l.seq = map[string]int64{}
	d := Prompt(markID)
	d.Definition.Tool.Prompt += "\n" + markText
	d.Definition.Tool.Goals = markText
	l.tool = *d.Definition.Tool
	l.draftText, l.definitionText = string(d.Canonical()), string(d.Definition.Canonical())
	l.report = review.Report{Comment: "**Does it make sense?** The template is whole and the names follow the conventions.\n\n**Does it overlap a core tool?** No.\n\n" +
		"**Does it break guardrails or policy?** Nothing was found.\n\n**What must change?** Nothing."}.Encode()
	for _, table := range []string{"proposals", "revisions", "assessments", "decisions", "versions", "events", "issues"} {
		column := "seq"
		if table == "issues" {
			column = "number"
		}
		var last int64
		if err := l.tx.QueryRowContext(l.ctx, "SELECT coalesce(max("+column+"), 0) FROM "+table).Scan(&last); err != nil {
			return err
		}
		l.seq[table] = last
	}
	if err := l.tx.QueryRowContext(l.ctx, "SELECT hash FROM events ORDER BY seq DESC LIMIT 1").Scan(&l.prev); err != nil {
		return err
	}
	l.block = -1
	return nil
}

// end writes the values that triggers would have maintained.
func (l *loader) end() error {
	if err := l.flushSketches(); err != nil {
		return err
	}
	for _, statement := range []string{
		"INSERT INTO counters SELECT state, count(*) FROM proposals GROUP BY state",
		"INSERT INTO proposals_text (rowid, body) SELECT seq, subject || char(10) || title || char(10) || author || char(10) || change_set || char(10, 10) FROM proposals",
	} {
		if _, err := l.tx.ExecContext(l.ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (l *loader) tick() time.Time {
	l.now = l.now.Add(time.Millisecond)
	return l.now
}

func (l *loader) id() string {
	l.ids++
	return fmt.Sprintf("01990000-%04x-7000-8000-%012x", 0xc000+(l.ids>>48), l.ids)
}

// insert inserts a row with the given values. The argument into consists of the name of
// the table and the list of columns.
func (l *loader) insert(into string, values ...any) error {
	stmt, ok := l.stmts[into]
	if !ok {
		var err error
		stmt, err = l.tx.PrepareContext(l.ctx, "INSERT INTO "+into+" VALUES ("+strings.TrimSuffix(strings.Repeat("?, ", len(values)), ", ")+")")
		if err != nil {
			return fmt.Errorf("%s: %w", into, err)
		}
		l.stmts[into] = stmt
	}
	_, err := stmt.ExecContext(l.ctx, values...)
	return err
}

func (l *loader) next(table string) int64 {
	l.seq[table]++
	return l.seq[table]
}

func toolID(n int) string { return fmt.Sprintf("crowd_tool_%d", n) }

func (l *loader) definition(id, text string) string {
	return strings.NewReplacer(markID, id, markText, text).Replace(l.definitionText)
}

func (l *loader) textHash(id, text string) string {
	replace := strings.NewReplacer(markID, id, markText, text).Replace
	t := l.tool
	t.UsageNotes, t.Goals, t.Guardrails, t.Prompt = replace(t.UsageNotes), replace(t.Goals), replace(t.Guardrails), replace(t.Prompt)
	return t.TextHash()
}

// approved writes a proposal with all records of its approval.
func (l *loader) approved(n int) error {
	p, err := l.proposal(n, proposals.Approved)
	if err != nil {
		return err
	}
	at := l.tick()
	v := history.Version{
		Subject: p.subject, Number: 1, Definition: []byte(p.definition), Proposal: p.id, Revision: 1, Author: author, Assessment: p.assessment,
		ReviewDigest: registry.HashBytes([]byte("digest of " + p.id)), RulesVersion: l.rules, DecidedBy: decider, DecidedAt: at,
	}
	if err := l.version(&v); err != nil {
		return err
	}
	v.Definition = nil
	l.versions = append(l.versions, v)
	decision, stamp := l.id(), history.Timestamp(at)
	seal := history.Seal("toolcrib decision 1", decision, p.id, "1", p.subject.String(), p.hash, "approved", "", decider, stamp,
		p.assessment, v.ReviewDigest, "1", v.Hash, "", string(proposals.ShowingExpected), "")
	if err := l.insert("decisions", l.next("decisions"), decision, p.id, 1, p.subject.String(), p.hash, "approved", "", decider, stamp,
		p.assessment, v.ReviewDigest, 1, v.Hash, "", string(proposals.ShowingExpected), "", seal, ""); err != nil {
		return err
	}
	data := fmt.Sprintf(`{"decision":%q,"note":"","review_digest":%q,"shown":"expected","version":1,"version_hash":%q}`, decision, v.ReviewDigest, v.Hash)
	if err := l.eventAt(at, decider, "approve", p.subject.String(), p.id, 1, seal, data); err != nil {
		return err
	}
	subject := p.subject
	if err := l.insert("live", subject.String(), subject.Kind, subject.Layer, subject.ID, 1, p.hash, p.name, "prompt", "", "", "requires_approval", "", "active", 0, "", "", len(p.definition)); err != nil {
		return err
	}
	return l.insert("names", subject.ID, subject.String())
}

func (l *loader) waiting(n int) error {
	_, err := l.proposal(n, proposals.UserReview)
	return err
}

// loaded is a proposal that the loader has written.
type loaded struct {
	id, assessment    string
	subject           registry.Subject
	name, text        string
	textHash          string
	definition, draft string
	hash              string
}

// proposal writes a proposal that was drafted, submitted, and assessed, with its final state.
func (l *loader) proposal(n int, state proposals.State) (loaded, error) {
	id := toolID(n)
	p := loaded{
		id: l.id(), assessment: l.id(), name: "Tool " + id, text: l.words.text(n, 40),
		subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id},
	}
	p.definition = l.definition(id, p.text)
	p.draft = strings.NewReplacer(markID, id, markText, p.text).Replace(l.draftText)
	p.hash, p.textHash = registry.HashBytes([]byte(p.definition)), l.textHash(id, p.text)
	subject, drafted := p.subject.String(), l.tick()
	created := history.Timestamp(drafted)
	seal := history.Seal("toolcrib revision 1", p.id, "1", p.draft, p.hash, author, created)
	if err := l.insert("revisions", l.next("revisions"), p.id, 1, p.draft, p.hash, author, created, seal); err != nil {
		return p, err
	}
	if err := l.eventAt(drafted, author, "draft", subject, p.id, 1, seal, "{}"); err != nil {
		return p, err
	}
	number := l.next("issues")
	if err := l.eventAt(l.tick(), author, "submit", subject, p.id, 1, "", fmt.Sprintf(`{"content_hash":%q,"issue":%d}`, p.hash, number)); err != nil {
		return p, err
	}
	at := l.tick()
	stamp := history.Timestamp(at)
	seal = history.Seal("toolcrib assessment 1", p.assessment, p.id, "1", p.hash, "chief:builtin", "approve", l.report, l.rules, stamp)
	if err := l.insert("assessments", l.next("assessments"), p.assessment, p.id, 1, p.hash, "chief:builtin", "approve", l.report, l.rules, stamp, seal); err != nil {
		return p, err
	}
	if err := l.eventAt(at, "chief:builtin", "assess", subject, p.id, 1, seal, fmt.Sprintf(`{"assessment":%q,"blocks":0,"findings":0,"recommendation":"approve"}`, p.assessment)); err != nil {
		return p, err
	}
	updated, assignee, status := stamp, "user", "open"
	if state == proposals.Approved {
		updated, assignee, status = history.Timestamp(l.now.Add(time.Millisecond)), "", "closed"
	}
	if err := l.insert("issues", number, p.id, "[Tool Proposal] "+p.name, assignee, status, "tool-proposal\nnew\nuser"); err != nil {
		return p, err
	}
	return p, l.insert(`proposals (seq, id, type, kind, layer, subject_id, subject, title, state, revision, content_hash, text_hash, base_version, author, change_set,
		issue, recommendation, findings, blocks, worst, created_at, updated_at)`, l.next("proposals"), p.id, "new", "tool", "user", id, subject, p.name, state, 1, p.hash, p.textHash, 0,
		author, "", number, "approve", 0, 0, "", created, updated)
}

func (l *loader) version(v *history.Version) error {
	v.ContentHash = registry.HashBytes(v.Definition)
	v.Hash = v.Sum()
	err := l.insert("versions", l.next("versions"), v.Subject.Kind, v.Subject.Layer, v.Subject.ID, v.Subject.String(), v.Number, string(v.Definition), v.ContentHash,
		v.PrevHash, v.Hash, v.Proposal, v.Revision, v.Author, v.Assessment, v.ReviewDigest, "{}", v.RulesVersion, v.DecidedBy, history.Timestamp(v.DecidedAt),
		v.Note, "[]", v.Signature, "")
	if err != nil {
		return err
	}
	d, err := registry.DecodeDefinition(registry.KindTool, v.Definition)
	if err != nil {
		return err
	}
	return l.sketch(l.seq["versions"], *d.Tool)
}

func (l *loader) event(act, subject, proposal string, revision int, record, data string) error {
	return l.eventAt(l.now, "system", act, subject, proposal, revision, record, data)
}

func (l *loader) eventAt(at time.Time, actor, act, subject, proposal string, revision int, record, data string) error {
	e := history.Event{
		Seq: l.next("events"), ID: l.id(), At: at, Actor: actor, Act: act, Subject: subject, Proposal: proposal, Revision: revision,
		Record: record, Data: []byte(data), PrevHash: l.prev,
	}
	l.prev = e.Sum()
	return l.insert("events", e.Seq, e.ID, history.Timestamp(at), actor, act, subject, proposal, revision, record, data, e.PrevHash, l.prev)
}
