package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// open opens the database file. Only a command that writes creates one, and
// only at the default path with its folders: a mistyped name must not become an
// empty registry that lists and verifies as if nothing were wrong.
func (a *app) open(ctx context.Context, c config, inspect bool) (*store.DB, error) {
	opts := store.Options{
		Now: a.env.Now, NewID: a.env.NewID, Account: a.env.account().Account, Users: c.users(a.env),
		Inspect: inspect, Existing: !a.creates || a.flags.dryRun, Empty: a.empty, Committed: a.committed, Trust: review.NewTrust(c.signatures(), c.approvals()),
	}
	if !opts.Existing && c.defaultDB {
		if err := os.MkdirAll(filepath.Dir(c.DB), 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of the database: %w", err)
		}
	}
	db, err := store.Open(ctx, c.DB, opts)
	switch {
	case !errors.Is(err, store.ErrNoDatabase):
		return db, err
	case a.creates:
		return a.openScratch(ctx, opts)
	case c.defaultDB:
		return nil, fmt.Errorf("%w; `toolcrib propose FILE` and `toolcrib import FILE` create it, as does the workbench, which `toolcrib` opens", err)
	}
	return nil, fmt.Errorf("%w, which %s names; correct it, or create the database with `toolcrib propose FILE` or `toolcrib import FILE`", err, c.sources["db"])
}

// openScratch opens the database that a dry run would have created. It lies in
// a folder of its own until the command ends.
func (a *app) openScratch(ctx context.Context, opts store.Options) (_ *store.DB, err error) {
	if a.scratch, err = os.MkdirTemp(a.env.Getenv("TMPDIR"), "toolcrib-dry-run-"); err != nil {
		return nil, err
	}
	opts.Existing = false
	return store.Open(ctx, filepath.Join(a.scratch, "toolcrib.db"), opts)
}

// desk puts the desk that the settings describe before a store.
func (c config) desk(db review.Store, env Env) (*review.Desk, error) { return c.deskOf(db, env, nil) }

// deskOf is desk with signers that are not written to their file yet, nil for those
// of the file.
func (c config) deskOf(db review.Store, env Env, next *signers.Signers) (*review.Desk, error) {
	policy := c.connect(c.policy(), env)
	if next != nil {
		policy.Signatures.Signers = func() (*signers.Signers, error) { return next, nil }
	}
	desk, err := review.New(db, policy, env.Now, env.NewID)
	if err != nil {
		_, named := c.ruleSet()
		return nil, cmp.Or(named, err)
	}
	return desk, nil
}

// rulesVersion names the rules and the policy in force, for which no database
// is needed.
func (c config) rulesVersion(env Env) (string, error) {
	desk, err := c.desk(nil, env)
	if err != nil {
		return "", err
	}
	return desk.RulesVersion(), nil
}

// viewed returns what read reads in one view of the database.
func viewed[R, T any](ctx context.Context, view func(context.Context, func(R) error) error, read func(R) (T, error)) (found T, err error) {
	err = view(ctx, func(r R) error {
		found, err = read(r)
		return err
	})
	return found, err
}

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
	return a.printMoved(moved, nil)
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
