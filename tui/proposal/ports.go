// This file defines the interfaces and options that the page needs.

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

// Desk reads a proposal and its effects.
type Desk interface {
	Reader
	Impact
}

// Reader reads a proposal.
type Reader interface {
	Show(ctx context.Context, actor proposals.Actor, id proposals.ID) (review.Dossier, error)
	// Source returns the JSON from which the definition was imported, or nil if it was not imported.
	Source(ctx context.Context, definition registry.Definition) ([]byte, error)
	// Shown records that the actor has seen the proposals in ds. Without this record, the actor cannot approve
	// them on the command line.
	Shown(ctx context.Context, actor proposals.Actor, ds ...review.Dossier) error
}

// Impact computes how proposals change prompts.
type Impact interface {
	Preview(ctx context.Context, ids []proposals.ID, agent string, s impact.Scene) ([]impact.Preview, error)
}

// Registry reads the versions of a subject.
type Registry interface {
	Versions(ctx context.Context, s registry.Subject, before, limit int) ([]history.Version, error)
}

// Acts performs the user's actions on a proposal. Each method describes the outcome in a sentence without a
// period.
type Acts interface {
	Perform(ctx context.Context, act proposals.Act, id proposals.ID) (string, error)
	// Waive waives a finding (ActWaive) or ends its waiver (ActUnwaive).
	Waive(ctx context.Context, act proposals.Act, id proposals.ID, s review.Standing, reason string) (string, error)
	Comment(ctx context.Context, id proposals.ID, body string, at review.Anchor) (string, error)
	Restore(ctx context.Context, s registry.Subject, version int, reason string) (proposals.Proposal, string, error)
	Repropose(ctx context.Context, d review.Dossier) (proposals.Proposal, string, error)
}

// Shell is the part of the workbench that the page uses.
type Shell interface {
	screen.Shell
	Open(p proposals.Proposal, sameTab bool) tea.Cmd
	OpenWaiting() tea.Cmd
	// OpenUnseen opens the page of p at its first unread part.
	OpenUnseen(p proposals.Proposal) tea.Cmd
	OpenEntry(o screen.Opening) tea.Cmd
	Decide(act proposals.Act, ps []proposals.Proposal) tea.Cmd
	// Mark toggles the mark of p in the queue.
	Mark(p proposals.Proposal) tea.Cmd
	Edit(w editor.Manuscript) tea.Cmd
}

// Options configure the page. All proposal pages of a workbench share the same options.
type Options struct {
	Shell    Shell
	Desk     Desk
	Registry Registry
	Acts     Acts
	Actor    proposals.Actor
	Layer    registry.Layer // prompts are rendered for this layer
	Seen     *seen.Record
	Texts    *markdown.Texts
	Counter  *tokens.Counter
	NoEditor func() string // returns why texts cannot be edited, or ""
	// CannotMark returns the reason why p cannot be marked in the queue, or "".
	CannotMark func(p proposals.Proposal) string
	// Marked returns the marked proposals.
	Marked func() []proposals.Proposal
	// Revision returns the text to edit: the current revision, or the unsent text of an earlier edit.
	Revision func(d review.Dossier) editor.Manuscript
	// StoredIn describes where an unsent text is stored, given its file.
	StoredIn func(file string) string
}

// RecordShown records that the user has read the proposals in ds completely and then opened the dialog of a
// decision. After that, the user can also approve them on the command line. Opening the page of a proposal does
// not have this effect.
func (o Options) RecordShown(ctx context.Context, ds ...review.Dossier) tea.Cmd {
	return func() tea.Msg {
		err := o.Desk.Shown(ctx, o.Actor, ds...)
		if errors.Is(err, review.ErrReadOnly) {
			err = nil // a read-only database accepts no approvals either
		}
		return screen.Done{Err: err}
	}
}
