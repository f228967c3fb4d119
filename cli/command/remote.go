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

// Remote is the session of a user who is connected over SSH. The state that it shares with other sessions is safe for
// concurrent use.
type Remote struct {
	Actor     proposals.Actor
	Config    settings.Config // of the server, without the settings of its account
	DB        *store.DB
	Desk      *service.Desk
	Gateway   *OpenGateway
	Workspace *workspace.Workspace // nil when none is attached
	// Agent connects to the user's forwarded SSH agent. It is nil without forwarding.
	Agent func(context.Context) (io.ReadWriteCloser, error)
	// Drafts is the folder of the user's unsent texts.
	Drafts string
	// Size returns the size of the terminal; resized reports every change of the size.
	Size    func() (width, height int)
	Resized func(context.Context, func(width, height int))
	Environ []string
	// Checkpoint is nil where none are published.
	Checkpoint *checkpoints.Watch
	// Ran gets the name of the command that runs.
	Ran func(string)
}

// ErrRemote is wrapped when something of the server is asked for through a door.
var ErrRemote = errors.New("not available over SSH")

// ErrServerFile is errRemote about a file.
var ErrServerFile = fmt.Errorf("files of the server are %w; write - and redirect yours, as in ssh HOST toolcrib propose - < FILE", ErrRemote)

// settings returns the settings of the server with those that the user may choose.
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

// Forwarded connects to the agent of the user.
func (r *Remote) Forwarded(ctx context.Context) (io.ReadWriteCloser, error) {
	if r.Agent == nil {
		return nil, errors.New("your SSH agent is not forwarded; connect with ssh -A, or prepare the decision with --print-statement, sign it with toolcrib sign where your key is, and send both with --statement - --signature -")
	}
	return r.Agent(ctx)
}
