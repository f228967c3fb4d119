package tui

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/history/diff"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/tui/difflist"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// What the commands of this file answer. Every answer says what it is about,
// so that one that comes late is not taken for another.
type (
	dossierMsg struct {
		id      proposals.ID
		dossier review.Dossier
		hash    string   // of the definition in the dossier
		unfit   []string // what keeps a draft from being submitted, by its own text
		err     error
	}
	diffMsg struct {
		id   proposals.ID
		what comparison
		list *difflist.List
		err  error
	}
	promptsMsg struct {
		id      proposals.ID
		digest  string
		changes []promptChange
		counts  []promptCount
		err     error
	}
	promptDiffMsg struct {
		id     proposals.ID
		digest string
		at     int
		list   *difflist.List
	}
	versionsMsg struct {
		subject  registry.Subject
		versions []history.Version
		err      error
	}
	stampMsg struct {
		stamp int64
		err   error
	}
	pollMsg  struct{ told int64 }
	graceMsg struct{ dialog int }
)

// pollEvery is how often the database is asked whether anything was written, where it
// does not tell.
const pollEvery = 700 * time.Millisecond

func (m *Model) loadDossier(id proposals.ID) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return func() tea.Msg {
		d, err := desk.Show(m.ctx, actor, id)
		return dossierMsg{id: id, dossier: d, hash: d.Revision.Draft.Definition.Hash(), unfit: wording.Unfit(d), err: err}
	}
}

// shown remembers what the user has opened, or is asked about. What is read
// again in the background does not count: nobody may be looking.
func (m *Model) shown(ds ...review.Dossier) tea.Cmd {
	desk, actor := m.cfg.Desk, m.cfg.Actor
	return func() tea.Msg {
		err := desk.Shown(m.ctx, actor, ds...)
		if errors.Is(err, review.ErrReadOnly) {
			err = nil // nothing can be approved there either
		}
		return draftSavedMsg{err: err}
	}
}

// comparison says which two definitions are compared, and how much is shown of
// what is the same. It identifies what a diff was made of.
type comparison struct {
	from     string // what stands on the old side: a version or a revision, whose content never changes
	new      string // content hash
	revision int    // on the new side
	context  int
}

func (m *Model) makeDiff(id proposals.ID, what comparison, before, after diff.Content) tea.Cmd {
	desk := m.cfg.Desk
	return func() tea.Msg {
		fields, err := difflist.Compare(m.ctx, desk, before, after)
		return diffMsg{id, what, difflist.New(fields, what.context), err}
	}
}

func (m *Model) loadPrompts(id proposals.ID, digest string) tea.Cmd {
	desk, counter := m.cfg.Desk, m.counter
	scene := review.Scene{Layer: m.cfg.Layer, Where: review.ReferenceContext(), Context: prompt.Reference()}
	return func() tea.Msg {
		previews, err := desk.Preview(m.ctx, []proposals.ID{id}, "", scene)
		if err != nil {
			return promptsMsg{id: id, digest: digest, err: err}
		}
		changes := changedPrompts(previews)
		counts, err := countPrompts(counter, changes)
		return promptsMsg{id, digest, changes, counts, err}
	}
}

// countPrompts measures each prompt now and after. Channels often get the same text,
// which is counted once.
func countPrompts(counter *tokens.Counter, changes []promptChange) ([]promptCount, error) {
	var texts []string
	sizes := map[string]size{}
	for _, c := range changes {
		for _, text := range []string{c.Now, c.After} {
			if _, known := sizes[text]; !known {
				sizes[text] = size{}
				texts = append(texts, text)
			}
		}
	}
	counts, err := counter.CountAll(texts)
	if err != nil {
		return nil, err
	}
	for i, text := range texts {
		sizes[text] = size{characters(text), counts[i].O200k, counts[i].Cl100k}
	}
	out := make([]promptCount, len(changes))
	for i, c := range changes {
		out[i] = promptCount{now: sizes[c.Now], after: sizes[c.After]}
	}
	return out, nil
}

func (m *Model) loadVersions(s registry.Subject) tea.Cmd {
	reg := m.cfg.Registry
	return func() tea.Msg {
		vs, err := reg.Versions(m.ctx, s, 0, screen.MaxVersions)
		return versionsMsg{s, vs, err}
	}
}

func (m *Model) readStamp() tea.Cmd {
	reg := m.cfg.Registry
	return func() tea.Msg {
		stamp, err := reg.Stamp(m.ctx)
		return stampMsg{stamp, err}
	}
}

// awaitWrite answers when another process may have written something.
func (m *Model) awaitWrite(seen int64) tea.Cmd {
	wait := m.cfg.Wait
	if wait == nil || m.cfg.After != nil {
		return m.after(pollEvery, pollMsg{seen})
	}
	return func() tea.Msg { return pollMsg{wait(m.ctx, seen, pollEvery)} }
}

// after answers with msg when d has passed.
func (m *Model) after(d time.Duration, msg tea.Msg) tea.Cmd {
	if m.cfg.After != nil {
		return m.cfg.After(d, msg)
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
