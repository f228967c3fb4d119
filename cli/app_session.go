package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"toolcrib/proposals"
	"toolcrib/review"
)

// session is the review service together with the actor who uses it.
type session struct {
	desk  *review.Desk
	actor proposals.Actor
}

// openSession opens the review service for the actor of the command.
func (a *app) openSession(ctx context.Context) (session, error) {
	actor, err := a.actor()
	if err != nil {
		return session{}, err
	}
	desk, err := a.openDesk(ctx)
	return session{desk, actor}, err
}

// openProposals opens the review service and resolves references to proposals.
func (a *app) openProposals(ctx context.Context, refs []string) (session, []proposals.ID, error) {
	b, err := a.openSession(ctx)
	if err != nil {
		return b, nil, err
	}
	ids, err := a.ids(ctx, b.desk, refs)
	return b, ids, err
}

// eachProposal does one act to each of the named proposals and prints where
// they stand then. It stops at the first that refuses; those before it have
// moved.
func (a *app) eachProposal(ctx context.Context, refs []string, act func(context.Context, session, proposals.ID) (proposals.Proposal, error)) error {
	b, ids, err := a.openProposals(ctx, refs)
	if err != nil {
		return err
	}
	moved := make([]proposals.Proposal, 0, len(ids))
	for _, id := range ids {
		p, err := act(ctx, b, id)
		if err != nil {
			return err
		}
		moved = append(moved, p)
	}
	return a.printMoved(moved)
}

// noteFlags take a text from the command line, a file or standard input.
type noteFlags struct{ text, file string }

func (n *noteFlags) register(set *pflag.FlagSet) {
	set.StringVar(&n.text, "note", "", "the reason, or a note for the record")
	set.StringVar(&n.file, "note-file", "", "read the note from `FILE`, - for standard input")
}

func (n *noteFlags) read(ctx context.Context, a *app) (string, error) {
	if n.file == "" {
		return n.text, nil
	}
	if n.text != "" {
		return "", usagef("--note and --note-file exclude each other")
	}
	b, err := a.readAll(ctx, n.file)
	return strings.TrimSpace(string(b)), err
}
