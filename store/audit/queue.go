package audit

import (
	"bytes"
)

// queue is what the proposals and issues say, held against the records.
type queue struct {
	of        map[uint64]int32 // by the keyed hash of the id
	proposals []proposal       // in the order of their rows
	states    map[string]int64
}

// proposal is a row of the queue. Texts are keyed hashes.
type proposal struct {
	id       uint64
	state    state
	tool     bool
	revision int64
	base     int64
	issue    int64
	content  uint64
	kind     uint64 // new, modify, …
	subject  uint64
	set      uint64
	title    uint64
	author   uint64
	created  uint64
	updated  uint64
	until    uint64
	shown    summary

	// What the issue, the log and the records say.
	number        int64 // of the issue
	status        uint64
	assignee      uint64
	issueTitle    uint64
	issueLabels   uint64
	act           uint8 // the last that moved it
	acted         uint64
	submissions   int32
	submittedAs   int64 // the revision
	last, written int64 // the last revision; the row of the first
	assessed      summary
	agreed        bool // its last revision says the same
	entitled      bool // so does what was submitted, of its issue
	approved      bool
	waived        bool
}

// summary is what the queue shows of an assessment.
type summary struct {
	recommendation, worst uint64
	findings, blocks      int64
	names                 tally // of a definition, see shows
}

// state is the state of a proposal.
type state byte

const (
	draft state = iota
	chiefReview
	userReview
	needsChanges
	approved
	rejected
	withdrawn
)

var states = []string{"draft", "chief_review", "user_review", "needs_changes", "approved", "rejected", "withdrawn"}

func stateOf(text []byte) state {
	for i, s := range states {
		if string(text) == s {
			return state(i)
		}
	}
	return state(len(states))
}

func (a *Audit) visitProposal(p *plan) visit {
	idAt, contentHashAt, typeAt, subjectAt := p.at("id"), p.at("content_hash"), p.at("type"), p.at("subject")
	changeSetAt, titleAt, authorAt, createdAtAt := p.at("change_set"), p.at("title"), p.at("author"), p.at("created_at")
	updatedAtAt, waivedUntilAt, recommendationAt, worstAt := p.at("updated_at"), p.at("waived_until"), p.at("recommendation"), p.at("worst")
	stateAt, kindAt, revisionAt, baseVersionAt := p.at("state"), p.at("kind"), p.at("revision"), p.at("base_version")
	issueAt, findingsAt, blocksAt := p.at("issue"), p.at("findings"), p.at("blocks")
	return func(w *worker, r *row, f *fact) error {
		text := func(at int) uint64 { return w.hash(r.text(at)) }
		s := stateOf(r.text(stateAt))
		if int(s) == len(states) {
			return unsound("a proposal has no state")
		}
		f.proposal = &proposal{
			id: text(idAt), state: s, tool: string(r.text(kindAt)) == "tool", revision: r.int(revisionAt), base: r.int(baseVersionAt),
			issue: r.int(issueAt), content: text(contentHashAt), kind: text(typeAt), subject: text(subjectAt), set: text(changeSetAt),
			title: text(titleAt), author: text(authorAt), created: text(createdAtAt), updated: text(updatedAtAt), until: text(waivedUntilAt),
			shown: summary{recommendation: text(recommendationAt), worst: text(worstAt), findings: r.int(findingsAt), blocks: r.int(blocksAt)},
		}
		f.proposal.assessed = summary{recommendation: w.hash(nil), worst: w.hash(nil)}
		return nil
	}
}

func (a *Audit) settleProposal(f *fact) error {
	if a.queue.states == nil {
		a.queue.states = map[string]int64{}
	}
	a.queue.of[f.proposal.id] = int32(len(a.queue.proposals))
	a.queue.proposals = append(a.queue.proposals, *f.proposal)
	a.queue.states[states[f.proposal.state]]++
	return nil
}

// find returns the proposal with an id, -1 when there is none.
func (q *queue) find(id uint64) int32 {
	if who, ok := q.of[id]; ok {
		return who
	}
	return -1
}

func (a *Audit) visitIssue(p *plan) visit {
	proposalAt, titleAt, labelsAt, statusAt := p.at("proposal"), p.at("title"), p.at("labels"), p.at("status")
	assigneeAt := p.at("assignee")
	return func(w *worker, r *row, f *fact) error {
		text := func(at int) uint64 { return w.hash(r.text(at)) }
		f.key, f.proposal = text(proposalAt), &proposal{
			number: r.rowid, issueTitle: text(titleAt), issueLabels: text(labelsAt), status: text(statusAt), assignee: text(assigneeAt),
		}
		return nil
	}
}

func (a *Audit) settleIssue(f *fact) error {
	who := a.queue.find(f.key)
	if who < 0 {
		return unsound("issue %d belongs to no proposal", f.rowid)
	}
	p, i := &a.queue.proposals[who], f.proposal
	p.number, p.issueTitle, p.issueLabels, p.status, p.assignee = i.number, i.issueTitle, i.issueLabels, i.status, i.assignee
	return nil
}

func (a *Audit) visitRevision(p *plan) visit {
	proposalAt, numberAt, authorAt, createdAtAt := p.at("proposal"), p.at("number"), p.at("author"), p.at("created_at")
	draftAt, contentHashAt := p.at("draft"), p.at("content_hash")
	return func(w *worker, r *row, f *fact) error {
		f.who, f.number = a.queue.find(w.hash(r.text(proposalAt))), r.int(numberAt)
		if f.who < 0 {
			return nil
		}
		p := &a.queue.proposals[f.who]
		if f.number == 1 && (w.hash(r.text(authorAt)) != p.author || w.hash(r.text(createdAtAt)) != p.created) {
			return unsound("a proposal is not by whom, or when, its first revision is")
		}
		if f.number != p.revision && f.number != p.submittedAs {
			return nil
		}
		d, err := readDraft(r.text(draftAt))
		if err != nil {
			return err
		}
		if w.hash(d.subject) != p.subject {
			return unsound("a revision is about another subject than its proposal")
		}
		kind, layer, id := d.parts()
		if len(d.name) == 0 {
			d.name = id
		}
		f.yes = f.number == p.revision && w.hash(r.text(contentHashAt)) == p.content && w.hash(d.kind) == p.kind &&
			d.base == p.base && w.hash(d.set) == p.set && w.hash(d.name) == p.title
		f.submitted = f.number == p.submittedAs && w.entitles(p, d, kind, layer)
		return nil
	}
}

// entitles reports whether the issue of a proposal has the title and the labels
// of what was submitted.
func (w *worker) entitles(p *proposal, d draftText, kind, layer []byte) bool {
	w.body = append(w.body[:0], "[Agent Proposal] "...)
	if p.tool {
		w.body = append(w.body[:0], "[Tool Proposal] "...)
	}
	title := w.hash(append(w.body, d.name...))
	w.body = append(append(w.body[:0], kind...), "-proposal\n"...)
	w.body = append(append(append(w.body, d.kind...), '\n'), layer...)
	if d.grouped {
		w.body = append(append(w.body, "\nset:"...), d.set...)
	}
	return title == p.issueTitle && w.hash(w.body) == p.issueLabels
}

func (a *Audit) settleRevision(f *fact) error {
	if f.who < 0 {
		return nil
	}
	p := &a.queue.proposals[f.who]
	p.last = max(p.last, f.number)
	p.agreed = p.agreed || f.yes
	p.entitled = p.entitled || f.submitted
	if f.number == 1 {
		p.written = f.rowid
	}
	return nil
}

// draftText is what the queue shows of a draft.
type draftText struct {
	kind, subject, set, name []byte
	base                     int64
	grouped                  bool
}

func readDraft(text []byte) (draftText, error) {
	var d draftText
	err := members(text, func(key, value []byte) error {
		var err error
		switch string(key) {
		case "type":
			d.kind, err = unquote(value)
		case "subject":
			d.subject, err = unquote(value)
		case "baseVersion":
			d.base, err = number(value)
		case "changeSet":
			d.set, err = unquote(value)
			d.grouped = true
		case "definition":
			if string(value) != "null" {
				d.name, err = within(value, "name")
			}
		}
		return err
	})
	return d, err
}

// parts takes the subject apart: tool:project/novel/scene_pacer.
func (d draftText) parts() (kind, layer, id []byte) {
	kind, rest, _ := bytes.Cut(d.subject, []byte(":"))
	slash := bytes.LastIndexByte(rest, '/')
	return kind, rest[:max(slash, 0)], rest[slash+1:]
}

// number reads a whole number.
func number(value []byte) (int64, error) {
	if len(value) == 0 || len(value) > 18 {
		return 0, unsound("a number is none")
	}
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, unsound("a number is none")
		}
		n = 10*n + int64(c-'0')
	}
	return n, nil
}
