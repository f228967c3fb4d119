package proposal

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"toolcrib/history"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/tui/editor"
	"toolcrib/tui/markdown"
	"toolcrib/tui/screen"
	"toolcrib/tui/seen"
)

// Desk shows a proposal and everything that belongs to it.
type Desk interface {
	Reader
	Impact
}

// Reader reads a proposal.
type Reader interface {
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
	// Source returns the JSON that a definition was imported from, nil for none.
	Source(ctx context.Context, definition registry.Definition) ([]byte, error)
	// Shown remembers what the actor was shown, for approvals elsewhere.
	Shown(ctx context.Context, actor proposals.Actor, ds ...review.Dossier) error
}

// Impact shows how a proposal changes prompts and test results.
type Impact interface {
	Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error)
	// Behaviour runs the test cases with the live and the proposed version.
	Behaviour(ctx context.Context, id proposals.ID, live bool, tell impact.Tell) (impact.Behaviour, error)
}

// Registry has the versions of a subject.
type Registry interface {
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Acts are the acts of a user on a proposal. Each returns its outcome, as a
// sentence without its full stop.
type Acts interface {
	Simple(ctx context.Context, act proposals.Act, id proposals.ID) (string, error)
	// Waive waives a finding (ActWaive), or ends its waiver (ActUnwaive).
	Waive(ctx context.Context, act proposals.Act, id proposals.ID, s review.Standing, reason string) (string, error)
	Comment(ctx context.Context, id proposals.ID, body string, at review.Anchor) (string, error)
	Restore(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error)
	Again(ctx context.Context, d review.Dossier) (proposals.Proposal, string, error)
}

// Shell is the workbench as the page knows it.
type Shell interface {
	screen.Shell
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	OpenWaiting() tea.Cmd
	// OpenUnseen opens a proposal at the parts that have to be read.
	OpenUnseen(p proposals.Proposal) tea.Cmd
	OpenEntry(o screen.Opening) tea.Cmd
	Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
	// Mark marks a proposal in the queue, or unmarks it.
	Mark(p proposals.Proposal) tea.Cmd
	Edit(w editor.Manuscript) tea.Cmd
}

// Options configure the pages of all proposals.
type Options struct {
	Shell    Shell
	Desk     Desk
	Registry Registry
	Acts     Acts
	Actor    proposals.Actor
	Layer    registry.Layer // in whose view prompts are shown
	HasModel bool           // one is configured that answers test cases
	Seen     *seen.Record
	Texts    *markdown.Texts
	Counter  *tokens.Counter
	NoEditor func() string // why nothing can be edited
	Busy     func() string // why no job can be started
	// CannotMark returns why a proposal cannot be marked in the queue.
	CannotMark func(p proposals.Proposal) string
	// Marked returns the proposals that are marked in the queue, to be decided together.
	Marked func() []proposals.Proposal
	// Revision is the current revision, or the text of an earlier attempt to revise
	// it, for the editor.
	Revision func(d review.Dossier) editor.Manuscript
	// KeptIn describes where an unsent text is.
	KeptIn func(file string) string
}

// Tell remembers what the user has read to the end, and is asked about: an approval on the
// command line then applies to it. What was only opened does not count.
func (o Options) Tell(ctx context.Context, ds ...review.Dossier) tea.Cmd {
	return func() tea.Msg {
		err := o.Desk.Shown(ctx, o.Actor, ds...)
		if errors.Is(err, review.ErrReadOnly) {
			err = nil // nothing can be approved there either
		}
		return screen.Done{Err: err}
	}
}
