package audit

import (
	"bytes"
)

// registry is what is live, held against the last versions.
type registry struct {
	of       map[uint64]int32 // by the keyed hash of the subject
	subjects []subject
	names    tally // those that lead to tools
	wanted   tally // those that the live definitions have
}

// subject is a row of the live registry. Texts are keyed hashes.
type subject struct {
	key     uint64
	tool    bool
	version int64
	content uint64
	shown   [6]uint64 // name, kind, category, tier, approval, tag
	status  uint64

	last        link // of its versions
	lastContent uint64
}

func (a *Audit) visitLive(p *plan) visit {
	shownAt := [...]int{p.at("name"), p.at("tool_kind"), p.at("category"), p.at("tier"), p.at("approval"), p.at("tag")}
	subjectAt, kindAt, versionAt, contentHashAt := p.at("subject"), p.at("kind"), p.at("version"), p.at("content_hash")
	statusAt, idAt, layerAt, lockedAt := p.at("status"), p.at("id"), p.at("layer"), p.at("locked")
	return func(w *worker, r *row, f *fact) error {
		s := &subject{
			key: w.hash(r.text(subjectAt)), tool: string(r.text(kindAt)) == "tool", version: r.int(versionAt),
			content: w.hash(r.text(contentHashAt)), status: w.hash(r.text(statusAt)), last: link{0, w.hash(nil)},
		}
		for i, at := range shownAt {
			s.shown[i] = w.hash(r.text(at))
		}
		id := r.text(idAt)
		core := s.tool && string(r.text(layerAt)) == "global" && a.facts.Core[string(id)]
		if locked := r.int(lockedAt) == 1; locked != core {
			return unsound("the lock of %s is not where it belongs", r.text(subjectAt))
		}
		f.subject = s
		return nil
	}
}

func (a *Audit) settleLive(f *fact) error {
	a.registry.of[f.subject.key] = int32(len(a.registry.subjects))
	a.registry.subjects = append(a.registry.subjects, *f.subject)
	return nil
}

func (a *Audit) visitName(p *plan) visit {
	nameAt, subjectAt := p.at("name"), p.at("subject")
	return func(w *worker, r *row, f *fact) error {
		f.key = w.nameKey(r.text(nameAt), w.hash(r.text(subjectAt)))
		return nil
	}
}

func (a *Audit) settleName(f *fact) error {
	a.registry.names.add(f.key)
	return nil
}

// nameKey stands for a name of a subject.
func (w *worker) nameKey(name []byte, subject uint64) uint64 {
	w.number = append(w.number[:0], name...)
	for range 8 {
		w.number, subject = append(w.number, byte(subject)), subject>>8
	}
	return w.hash(w.number)
}

func (a *Audit) visitVersion(p *plan) visit {
	subjectAt, numberAt, contentHashAt, proposalAt := p.at("subject"), p.at("number"), p.at("content_hash"), p.at("proposal")
	hashAt, decidedByAt, idAt, definitionAt := p.at("hash"), p.at("decided_by"), p.at("id"), p.at("definition")
	return func(w *worker, r *row, f *fact) error {
		name, number := r.text(subjectAt), r.int(numberAt)
		who, ok := a.registry.of[w.hash(name)]
		if !ok {
			return unsound("there are versions of %s, but nothing is live", name)
		}
		s := &a.registry.subjects[who]
		f.who, f.number, f.more = who, number, w.hash(r.text(contentHashAt))
		if proposal := r.text(proposalAt); len(proposal) > 0 {
			f.yes = true
			f.key = w.approval(name, number, r.text(hashAt), proposal, r.text(decidedByAt))
		}
		if number != s.version {
			return nil
		}
		f.submitted = true
		return w.shows(s, r.text(idAt), r.text(definitionAt), f)
	}
}

func (a *Audit) settleVersion(f *fact) error {
	s := &a.registry.subjects[f.who]
	if f.number != s.last.number+1 || f.prev != s.last.seal {
		return unsound("row %d of versions breaks the chain of its subject", f.rowid)
	}
	s.last, s.lastContent = link{f.number, f.seal}, f.more
	if f.yes {
		a.log.approved = append(a.log.approved, f.key)
	} else {
		a.log.record(versions, f.seal)
	}
	a.registry.wanted.n += f.summary.names.n
	a.registry.wanted.sum += f.summary.names.sum
	return nil
}

// shows compares what lists show of a subject with the definition in force, and
// sums up the names that lead to it.
func (w *worker) shows(s *subject, id, definition []byte, f *fact) error {
	d, err := describe(definition)
	if err != nil {
		return err
	}
	if !s.tool {
		d.texts[1] = nil
	}
	for i, text := range d.texts {
		if w.hash(text) != s.shown[i] {
			return unsound("what lists show of %s is not what its definition says", id)
		}
	}
	if w.hash(d.status) != s.status {
		return unsound("the status of %s is not what its definition says", id)
	}
	if !s.tool {
		return nil
	}
	called := [][]byte{id}
	for _, alias := range d.aliases {
		twice := false
		for _, other := range called {
			twice = twice || bytes.Equal(alias, other)
		}
		if !twice {
			called = append(called, alias)
		}
	}
	for _, name := range called {
		f.summary.names.add(w.nameKey(name, s.key))
	}
	return nil
}

// description is what lists show of a definition.
type description struct {
	texts   [6][]byte // in the order of subject.shown
	status  []byte
	aliases [][]byte
}

func describe(definition []byte) (description, error) {
	d := description{status: []byte("active")}
	err := members(definition, func(key, value []byte) error {
		var err error
		switch string(key) {
		case "name":
			d.texts[0], err = textOf(value)
		case "kind":
			d.texts[1], err = textOf(value)
		case "category":
			d.texts[2], err = textOf(value)
		case "tier":
			d.texts[3], err = textOf(value)
		case "approval":
			d.texts[4], err = within(value, "tier")
		case "tag":
			d.texts[5], err = within(value, "prefix")
		case "status":
			d.status, err = unquote(value)
		case "aliases":
			err = elements(value, func(element []byte) error {
				alias, err := unquote(element)
				d.aliases = append(d.aliases, alias)
				return err
			})
		}
		return err
	})
	return d, err
}

// within returns the text of a member of an object.
func within(object []byte, name string) (text []byte, err error) {
	err = members(object, func(key, value []byte) error {
		var err error
		if string(key) == name {
			text, err = textOf(value)
		}
		return err
	})
	return text, err
}

// conclude compares what is live with the last versions, and the names with
// those they have.
func (g *registry) conclude() error {
	for i := range g.subjects {
		if s := &g.subjects[i]; s.version != s.last.number || s.content != s.lastContent {
			return unsound("what is live is not the last version of every subject")
		}
	}
	if g.names != g.wanted {
		return unsound("the names are not those of what is live")
	}
	return nil
}
