package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/tui/wording"
)

// batch is proposals that are decided together, as they were read for it.
type batch struct {
	act      proposals.Act
	dossiers []review.Dossier
}

// batchMsg is a batch that was read.
type batchMsg struct {
	batch
	number int // of the reading, so that one that comes late is let go
	err    error
}

// decide reads what is marked, or selected, and asks about it.
func decide(act proposals.Act) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.readBatch(act, m.queue.chosen(m)) }
}

// readBatch reads proposals anew, so that what is asked is about what they are
// now. Change sets are approved together or not at all: their other members
// come along.
func (m *Model) readBatch(act proposals.Act, ps []proposals.Proposal) tea.Cmd {
	m.batches++
	number, desk, actor := m.batches, m.cfg.Desk, m.cfg.Actor
	ids := make([]proposals.ID, len(ps))
	for i, p := range ps {
		ids[i] = p.ID
	}
	return func() tea.Msg {
		msg := batchMsg{batch: batch{act: act}, number: number}
		for i := 0; i < len(ids); i++ {
			d, err := desk.Show(context.Background(), actor, ids[i])
			if err != nil {
				msg.err = err
				return msg
			}
			msg.dossiers = append(msg.dossiers, d)
			if act != proposals.ActApprove {
				continue
			}
			for _, p := range d.Members {
				if !slices.Contains(ids, p.ID) {
					ids = append(ids, p.ID)
				}
			}
		}
		return msg
	}
}

// batchRead asks, unless somebody went elsewhere meanwhile.
func (m *Model) batchRead(msg batchMsg) tea.Cmd {
	switch {
	case msg.number != m.batches, m.page != page(m.queue), m.dialog != nil:
		return nil
	case msg.err != nil:
		m.fail(msg.err)
		return nil
	}
	if refused := msg.refused(m); len(refused) > 0 {
		return m.askWithout(msg.batch, refused)
	}
	if msg.act == proposals.ActApprove {
		return m.askApproveAll(msg.batch)
	}
	return m.askRefuseAll(msg.batch)
}

// refusal is a proposal that cannot be decided about as it was asked, and why.
type refusal struct {
	dossier review.Dossier
	why     string
}

// refused lists what is in the way of the batch.
func (b *batch) refused(m *Model) []refusal {
	var out []refusal
	for _, d := range b.dossiers {
		if why := b.why(m, d); why != "" {
			out = append(out, refusal{d, why})
		}
	}
	return out
}

func (b *batch) why(m *Model, d review.Dossier) string {
	if b.act == proposals.ActApprove {
		return strings.Join(wording.Obstacles(d, ruleNames), "; ")
	}
	return wording.Cannot(m.cfg.Actor, b.act, d.Proposal)
}

// choices ties each proposal to the review digest that the dialog shows.
func (b *batch) choices() []review.Choice {
	out := make([]review.Choice, len(b.dossiers))
	for i, d := range b.dossiers {
		out[i] = review.Choice{ID: d.Proposal.ID, Expect: d.Digest}
	}
	return out
}

// unread returns the proposals of which something has not been on the screen, or
// has changed since it was, and names what.
func (b *batch) unread(m *Model) (ps []proposals.Proposal, names []string) {
	for _, d := range b.dossiers {
		p := d.Proposal
		r := m.reading[p.ID]
		what := ""
		switch {
		case r == nil || r.list == nil:
			what = ": the diff"
		case r.dossier.Digest != d.Digest || r.made.new != d.Revision.Draft.Definition.Hash():
			what = " has changed since you read it"
		case !r.seenAll():
			what = ": " + joined(r.unseen())
		default:
			continue
		}
		ps, names = append(ps, p), append(names, wording.Reference(p)+" "+p.Subject.String()+what)
	}
	return ps, names
}

// decideAll decides on the batch: all of it or nothing.
func (m *Model) decideAll(b batch, words string) tea.Cmd {
	desk, actor, choices := m.cfg.Desk, m.cfg.Actor, b.choices()
	run := map[proposals.Act]func(context.Context, proposals.Actor, []review.Choice, string) ([]review.Decision, error){
		proposals.ActApprove: desk.Approve, proposals.ActRequestChanges: desk.RequestChanges, proposals.ActReject: desk.Reject,
	}[b.act]
	return m.write(func(ctx context.Context) wroteMsg {
		ds, err := run(ctx, actor, choices, words)
		if errors.Is(err, review.ErrDigest) {
			err = errors.New("nothing decided: " + wording.OneLine(err))
		}
		return wroteMsg{decided: chosenIDs(choices), draft: batchDraft(b.act), text: decidedAll(b.act, ds) + onward, undone: "nothing decided", err: err}
	})
}

func chosenIDs(choices []review.Choice) []proposals.ID {
	ids := make([]proposals.ID, len(choices))
	for i, c := range choices {
		ids[i] = c.ID
	}
	return ids
}

// maxNamed is how many decisions are named when several were made.
const maxNamed = 4

// decidedAll returns what was decided.
func decidedAll(act proposals.Act, ds []review.Decision) string {
	var names []string
	for _, d := range ds {
		name := d.Subject.String()
		if act == proposals.ActApprove {
			name += " version " + itoa(d.Version)
		}
		names = append(names, name)
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed], itoa(len(ds)-maxNamed)+" more")
	}
	said := map[proposals.Act]string{proposals.ActApprove: "Live: ", proposals.ActReject: "Rejected: ", proposals.ActRequestChanges: "Sent back: "}
	return said[act] + joined(names)
}
