package command

import (
	"context"

	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/history/workspace"
)

// openWorkspace attaches the project's folder and finishes what a crash, or an
// approval made elsewhere, left undone there.
func (a *App) openWorkspace(ctx context.Context, c settings.Config) error {
	if c.Workspace == "" {
		return nil
	}
	var err error
	a.Workspace, err = workspace.New(ctx, a.DB.Workspaces(), c.Workspace, c.Project)
	if err != nil {
		return err
	}
	return a.Publish(ctx)
}

// Publish writes the queued files of the workspace. It only reports errors,
// because the approval stands in any case.
func (a *App) Publish(ctx context.Context) error {
	if a.Workspace == nil || a.Flags.DryRun {
		return nil
	}
	if err := a.Workspace.Publish(ctx); err != nil && a.Remote == nil { // the files are not the business of a user elsewhere
		output.WriteNote(a.Env.Err, "toolcrib: the files of the workspace are not up to date: %s", output.FullStop(err.Error()))
	}
	return nil
}
