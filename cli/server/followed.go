package server

import (
	"context"
	"slices"
	"time"

	"toolcrib/cli/command"
	"toolcrib/gateway"
	"toolcrib/gateway/follow"
	"toolcrib/history"
	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/review/impact"
)

// followed is the registry that this machine follows, as agents see it.
type followed struct {
	*follow.Server
	view []registry.Layer
	now  func() time.Time
}

// read calls fn with the newest accepted copy.
func (f followed) read(ctx context.Context, fn func(*follow.Registry) error) error {
	r, err := f.Registry(ctx)
	if err == nil {
		err = fn(r)
	}
	return err
}

// State implements mcp.Registry.
func (f followed) State(ctx context.Context) (int64, error) {
	return command.Viewed(ctx, f.read, func(r *follow.Registry) (int64, error) { return r.State(ctx) })
}

// List implements mcp.Registry.
func (f followed) List(ctx context.Context, id string) (registry.Live, error) {
	return command.Viewed(ctx, f.read, func(r *follow.Registry) (registry.Live, error) { return listIn(ctx, r, f.view, id) })
}

// Files implements mcp.Registry.
func (f followed) Files(ctx context.Context) (list []registry.Live, err error) {
	err = f.read(ctx, func(r *follow.Registry) error {
		for _, l := range r.Lives {
			if folder := l.Definition.Folder(); folder != nil && folder.Status != registry.Deactivated && slices.Contains(f.view, l.Subject.Layer) {
				list = append(list, registry.Live{Subject: l.Subject, Version: l.Version, ContentHash: l.ContentHash})
			}
		}
		return nil
	})
	return list, err
}

// Version implements mcp.Registry.
func (f followed) Version(ctx context.Context, s registry.Subject, number int) (history.Version, error) {
	if !slices.Contains(f.view, s.Layer) {
		return history.Version{}, command.NotFoundf("%s", s)
	}
	return command.Viewed(ctx, f.read, func(r *follow.Registry) (history.Version, error) {
		v, err := r.Version(s, number)
		v.Version.Subject = s
		return v.Version, err
	})
}

// Prompt implements mcp.Prompter. Without a database, there are no notes and tasks of the user.
func (f followed) Prompt(ctx context.Context, c gateway.Caller, channel string) (prompt.Output, error) {
	return command.Viewed(ctx, f.read, func(r *follow.Registry) (prompt.Output, error) {
		where := c.Where
		where.IncludeDeferred = false // the prompt explains how to find the others
		in, err := impact.PromptInput(ctx, r, c.Agent, c.Layer, where)
		if err != nil {
			return prompt.Output{}, err
		}
		in.Context.Now = f.now()
		return prompt.Render(in, channel), nil
	})
}
