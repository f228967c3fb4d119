package audit

import (
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"toolcrib/history"
)

// log is what the audit log tells of, and what is there. Seals are keyed hashes.
type log struct {
	told     []uint64
	records  map[string][]uint64 // by table; of the versions those that nobody decided on
	approved []uint64            // versions that were decided on
	agreed   []uint64            // decisions that approved one
	imports  []uint64            // ids that events of imports have
}

func (l *log) record(table string, seal uint64) { l.records[table] = append(l.records[table], seal) }

// approval stands for a version and who decided on it.
func (w *worker) approval(subject []byte, number int64, hash, proposal, by []byte) uint64 {
	w.body = history.AppendField(w.body[:0], subject)
	w.body = strconv.AppendInt(w.body, number, 10)
	for _, field := range [][]byte{hash, proposal, by} {
		w.body = history.AppendField(w.body, field)
	}
	return w.hash(w.body)
}

// moves are the acts that move a proposal, and where to; see the queue's
// contradictions in store.
var moves = []struct {
	act string
	to  state
}{
	{"", draft},
	{"draft", draft},
	{"submit", chiefReview},
	{"assess", userReview},
	{"waive", userReview},
	{"approve", approved},
	{"needs-changes", needsChanges},
	{"reject", rejected},
	{"withdraw", withdrawn},
	{"revise", chiefReview}, // of what was submitted; a draft stays one
}

const (
	actSubmit = 2
	actRevise = 9
)

func (a *Audit) visitEvent(p *plan) visit {
	recordAt, actAt, idAt, proposalAt := p.at("record"), p.at("act"), p.at("id"), p.at("proposal")
	atAt, revisionAt := p.at("at"), p.at("revision")
	return func(w *worker, r *row, f *fact) error {
		if record := r.text(recordAt); len(record) > 0 {
			f.yes, f.key = true, w.hash(record)
		}
		act := r.text(actAt)
		if string(act) == "import" {
			f.submitted, f.number = true, int64(w.hash(r.text(idAt)))
		}
		proposal := r.text(proposalAt)
		if len(proposal) == 0 {
			return nil
		}
		for i, m := range moves {
			if string(act) == m.act {
				f.act = uint8(i)
			}
		}
		if f.act > 0 {
			f.who, f.more, f.number = a.queue.find(w.hash(proposal)), w.hash(r.text(atAt)), r.int(revisionAt)
		}
		return nil
	}
}

func (a *Audit) settleEvent(f *fact) error {
	if f.yes {
		a.log.told = append(a.log.told, f.key)
	}
	if f.submitted {
		a.log.imports = append(a.log.imports, uint64(f.number))
	}
	if f.who < 0 {
		return nil
	}
	p := &a.queue.proposals[f.who]
	p.act, p.acted = f.act, f.more
	if f.act == actSubmit {
		p.submissions++
		p.submittedAs = f.number
	}
	return nil
}

// conclude walks along the log: it tells of each record in its place and of
// nothing else, and versions and decisions go together.
func (l *log) conclude(a *Audit) error {
	tables := slices.Collect(maps.Keys(l.records))
	next := make([][]uint64, len(tables))
	for i, table := range tables {
		next[i] = l.records[table]
	}
	for _, told := range l.told {
		i := slices.IndexFunc(next, func(rest []uint64) bool { return len(rest) > 0 && rest[0] == told })
		if i < 0 {
			return unsound("the log does not tell of the records in their order")
		}
		next[i] = next[i][1:]
	}
	if slices.ContainsFunc(next, func(rest []uint64) bool { return len(rest) > 0 }) {
		return unsound("there are records that the log does not tell of")
	}
	if !slices.Equal(l.approved, l.agreed) {
		return unsound("versions and decisions do not go together")
	}
	kept := map[uint64]bool{}
	for _, id := range a.facts.Imports {
		kept[maphash.String(a.seed, id)] = true
	}
	for _, id := range l.imports {
		if !kept[id] {
			return unsound("the log tells of an import that is not there")
		}
	}
	return nil
}
