package files

import (
	"context"

	"toolcrib/cli/command"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/instructions"
	"toolcrib/registry"
	"toolcrib/store"
)

// approvals are the approved skills and instruction files: those of the database, or of
// the registry that this machine follows.
type approvals interface {
	in(ctx context.Context, layer registry.Layer) ([]instructions.Approved, error)
	live(ctx context.Context, s registry.Subject) (registry.Live, error)
	content(ctx context.Context, sha256 string) ([]byte, bool, error)
}

// approvalsOf returns the approvals that count on this machine. The error wraps
// store.ErrNoDatabase where there are none.
func approvalsOf(ctx context.Context, a *command.App) (approvals, error) {
	following, err := a.Following()
	if err != nil {
		return nil, err
	}
	if following != nil {
		r, err := following.Copy.Files(ctx)
		return followed{r}, err
	}
	db, err := a.Database(ctx)
	return database{db}, err
}

type database struct{ db *store.DB }

func (d database) in(ctx context.Context, layer registry.Layer) ([]instructions.Approved, error) {
	return approvedIn(ctx, d.db, layer)
}

func (d database) live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	return live(ctx, d.db, s)
}

func (d database) content(ctx context.Context, sha256 string) ([]byte, bool, error) {
	return d.db.Content(ctx, sha256)
}

type followed struct{ r *follow.Registry }

func (f followed) in(_ context.Context, layer registry.Layer) ([]instructions.Approved, error) {
	var approved []instructions.Approved
	for _, l := range f.r.Lives {
		if folder := l.Definition.Folder(); folder != nil && l.Subject.Layer == layer {
			approved = append(approved, instructions.Approved{Subject: l.Subject, Path: folder.Path, Hash: l.ContentHash, Active: folder.Status != registry.Deactivated})
		}
	}
	return approved, nil
}

func (f followed) live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	return f.r.Live(ctx, s)
}

func (f followed) content(_ context.Context, sha256 string) ([]byte, bool, error) {
	data, ok := f.r.Content(sha256)
	return data, ok, nil
}
