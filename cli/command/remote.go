package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/history/workspace"
	"toolcrib/proposals"
	"toolcrib/review/service"
	"toolcrib/store"
)

// Remote is the session of a user connected over SSH. The state that it shares with other sessions is safe for
// concurrent use.
type Remote struct {
	Actor     proposals.Actor
	Config    settings.Config // settings of the server, without those of its account
	DB        *store.DB
	Desk      *service.Desk
	Gateway   *OpenGateway
	Workspace *workspace.Workspace // nil if no workspace is attached
	// Agent connects to the user's forwarded SSH agent, or is nil without forwarding.
	Agent func(context.Context) (io.ReadWriteCloser, error)
	// Drafts is the folder for the user's unsent texts.
	Drafts string
	// Size returns the size of the terminal. Resized calls a function for each change of the size.
	Size    func() (width, height int)
	Resized func(context.Context, func(width, height int))
	Environ []string
	// Checkpoint is nil if no checkpoints are published.
	Checkpoint *checkpoints.Watch
	// Ran is called with the name of the executed command.
	Ran func(string)
}

// ErrRemote means that a feature of the server is not available over SSH.
var ErrRemote = errors.New("not available over SSH")

// ErrServerFile is ErrRemote for a file.
var ErrServerFile = fmt.Errorf("files of the server are %w; write - and redirect yours, as in ssh HOST toolcrib propose - < FILE", ErrRemote)

// settings returns the settings of the server, with those that the user may change.
func (r *Remote) settings(flags settings.Overrides, accessible bool) (settings.Config, error) {
	c := r.Config
	c.Accessible = accessible
	if flags.Project == "" {
		return c, nil
	}
	c, err := c.WithProject(flags.Project)
	if err != nil {
		return c, process.Usagef("--project is %q; a name has letters, digits, \"_\", \".\" and \"-\"", flags.Project)
	}
	return c, nil
}

// Forwarded connects to the user's forwarded SSH agent.
func (r *Remote) Forwarded(ctx context.Context) (io.ReadWriteCloser, error) {
	if r.Agent == nil {
		return nil, errors.New("your SSH agent is not forwarded; connect with ssh -A, or prepare the decision with --print-statement, sign it with toolcrib sign where your key is, and send both with --statement - --signature -")
	}
	return r.Agent(ctx)
}
