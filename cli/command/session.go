// This file resolves references in arguments and opens sessions of the review service. It also defines the session of a
// user who is connected over SSH.

package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/history/workspace"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review"
	"toolcrib/review/records"
	"toolcrib/review/service"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// IDs returns the ids of the proposals that refs denote. If refs is a single "-", IDs reads the references from
// standard input and uses the first word of each line.
func (a *App) IDs(ctx context.Context, desk *service.Desk, refs []string) ([]proposals.ID, error) {
	if len(refs) == 1 && refs[0] == "-" {
		lines, err := a.ReadAll(ctx, "-")
		if err != nil {
			return nil, err
		}
		refs = refs[:0:0]
		for line := range strings.Lines(string(lines)) {
			if fields := strings.Fields(line); len(fields) > 0 {
				refs = append(refs, fields[0])
			}
		}
		if len(refs) == 0 {
			return nil, process.Usagef("no proposals specified: standard input contains no id")
		}
	}
	if len(refs) == 0 {
		return nil, process.Usagef("specify at least one proposal")
	}
	return desk.Reading.Resolve(ctx, refs...)
}

// NotFoundf formats an error that describes a missing object. The error wraps proposals.ErrNotFound.
func NotFoundf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), proposals.ErrNotFound)
}

// ReadView calls read with a consistent view of the database and returns the result of read. The parameter view opens
// the view.
func ReadView[R, T any](ctx context.Context, view func(context.Context, func(R) error) error, read func(R) (T, error)) (found T, err error) {
	err = view(ctx, func(r R) error {
		found, err = read(r)
		return err
	})
	return found, err
}

// NamePages adds a list of the damaged pages to err if err reports a damaged database. It returns other errors
// unchanged.
func (a *App) NamePages(ctx context.Context, err error) error {
	if err == nil || a.Config == nil {
		return err
	}
	return store.NamePages(ctx, a.Config.DB, err)
}

// Session contains the review service and the actor who uses it.
type Session struct {
	Desk  *service.Desk
	Actor proposals.Actor
}

// OpenSession opens the review service for the actor of the command.
func (a *App) OpenSession(ctx context.Context) (Session, error) {
	actor, err := a.Actor()
	if err != nil {
		return Session{}, err
	}
	desk, err := a.OpenDesk(ctx)
	return Session{desk, actor}, err
}

// InSession returns a RunE function that opens a session and calls run.
func (a *App) InSession(run func(ctx context.Context, b Session, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		b, err := a.OpenSession(cmd.Context())
		if err != nil {
			return err
		}
		return run(cmd.Context(), b, args)
	}
}

// OpenProposals opens the review service for the actor of the command, and returns the ids of the proposals that refs
// denote.
func (a *App) OpenProposals(ctx context.Context, refs []string) (Session, []proposals.ID, error) {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return b, nil, err
	}
	ids, err := a.IDs(ctx, b.Desk, refs)
	return b, ids, err
}

// Subject returns the subject that ref denotes. ref is a subject, or the id of a definition. On a machine that follows
// a registry, Subject looks up an id in that registry first. It searches the database if its approvals also apply (see
// Following.Own), or if the machine follows no registry. If the configured layers of the database do not contain the
// id, but exactly one of the other layers does, Subject returns the subject in this layer and prints it as a note.
func (a *App) Subject(ctx context.Context, ref string) (registry.Subject, error) {
	if s, err := registry.ParseSubject(ref); err == nil {
		return s, nil
	} else if strings.ContainsAny(ref, ":/ ") {
		return registry.Subject{}, err
	}
	if following, err := a.Following(); err != nil {
		return registry.Subject{}, err
	} else if following != nil && a.Remote == nil {
		s, missing := following.Subject(ctx, ref)
		if own, err := following.Own(ctx, a); missing == nil || err != nil || !own {
			return s, cmp.Or(missing, err)
		}
	}
	db, err := a.Database(ctx)
	if err != nil {
		return registry.Subject{}, err
	}
	s, err := db.Subject(ctx, a.Config.Layer.View(), ref)
	if err == nil && !slices.Contains(a.Config.Layer.View(), s.Layer) {
		a.Note("toolcrib: %s is %s.", ref, s)
	}
	return s, err
}

// FreeSet returns the name of a change set to which actor can add imported proposals. This is the given name if the
// change set has neither a rejected member nor a member that prevents actor from joining. Otherwise, FreeSet tries
// name_2, name_3, and so on.
func (a *App) FreeSet(ctx context.Context, actor proposals.Actor, name string) (string, error) {
	for n := 1; ; n++ {
		set := name
		if n > 1 {
			set = fmt.Sprintf("%s_%d", name, n)
		}
		members, err := ReadView(ctx, a.DB.View, func(r review.Reader) ([]proposals.Proposal, error) { return r.Members(ctx, set) })
		blocked := slices.ContainsFunc(members, func(m proposals.Proposal) bool {
			joins := actor.Kind == proposals.User || actor.Kind == proposals.System || m.Author == actor
			return !joins || m.State == proposals.Rejected
		})
		if err != nil || !blocked {
			return set, err
		}
	}
}

// LiveOf decodes an exported definition.
func LiveOf(e catalog.Exported) (registry.Live, error) {
	d, err := registry.DecodeDefinition(e.Subject.Kind, e.Definition)
	if err != nil {
		return registry.Live{}, fmt.Errorf("%s: %w", e.Subject, err)
	}
	return registry.Live{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash, Definition: d, Locked: e.Locked, Refused: e.Refused}, nil
}

// CoreAlone reports whether the core tools are the only shipped definitions in the database, because the database was
// created with init --empty.
func CoreAlone(ctx context.Context, db *store.DB) (bool, error) {
	assistant := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerGlobal, ID: shipped.AssistantID}
	_, err := ReadView(ctx, db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, assistant) })
	if errors.Is(err, proposals.ErrNotFound) {
		return true, nil
	}
	return false, err
}

// Definitions returns the definitions of all layers, including deactivated ones.
func Definitions(ctx context.Context, a *App) ([]registry.Live, error) {
	db, err := a.Database(ctx)
	if err != nil {
		return nil, err
	}
	var live []registry.Live
	for _, kind := range registry.SubjectKinds() {
		entries, err := db.Export(ctx, catalog.Query{Kind: kind, All: true})
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			l, err := LiveOf(e)
			if err != nil {
				return nil, err
			}
			live = append(live, l)
		}
	}
	return live, nil
}

// Stored returns the stored definition of l, which may be forged if l is not trusted.
func Stored(ctx context.Context, a *App, l registry.Live) (registry.Definition, error) {
	return ReadView(ctx, a.DB.View, func(r review.Reader) (registry.Definition, error) {
		return records.Definition(ctx, r, l.Subject, l.Version)
	})
}

// UntrustedText returns a sentence with the number of active definitions that are not used because no valid signature
// covers them, and with the command that proposes them again. It returns "" if there are none.
func (a *App) UntrustedText(ctx context.Context) (string, error) {
	live, err := a.DB.Untrusted(ctx)
	if err != nil || len(live) == 0 {
		return "", err
	}
	return output.CountedIs(len(live), "approved definition") + " not used, because no valid signature covers the approval; to propose the same content again: toolcrib signers renew", nil
}

// Remote is the session of a user connected over SSH. Its fields that are shared with other sessions are safe for
// concurrent use.
type Remote struct {
	Actor     proposals.Actor
	Config    settings.Config // settings of the server, without the preferences of its account
	DB        *store.DB
	Desk      *service.Desk
	Gateway   *OpenGateway
	Workspace *workspace.Workspace // nil if no workspace is attached
	// Agent connects to the user's forwarded SSH agent, or is nil without forwarding.
	Agent func(context.Context) (io.ReadWriteCloser, error)
	// Drafts is the folder for the user's unsent texts.
	Drafts string
	// Size returns the size of the terminal. Resized calls the given function after each change of the size.
	Size    func() (width, height int)
	Resized func(context.Context, func(width, height int))
	Environ []string
	// Checkpoint is nil if no checkpoints are published.
	Checkpoint *checkpoints.Watch
	// Ran is called with the name of the executed command.
	Ran func(string)
}

// ErrRemote indicates that a feature is not available over SSH.
var ErrRemote = errors.New("not available over SSH")

// ErrServerFile indicates that a command over SSH refers to a file of the server. It wraps ErrRemote.
var ErrServerFile = fmt.Errorf("files of the server are %w; to send a local file, pass - and redirect standard input, as in ssh HOST toolcrib propose - < FILE", ErrRemote)

// Forwarded connects to the user's forwarded SSH agent.
func (r *Remote) Forwarded(ctx context.Context) (io.ReadWriteCloser, error) {
	if r.Agent == nil {
		return nil, errors.New("your SSH agent is not forwarded; connect with ssh -A, or sign on your machine: get the statement with --print-statement, sign it with toolcrib sign, and send the statement and its signature with --statement - --signature -")
	}
	return r.Agent(ctx)
}
