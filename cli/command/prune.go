// This file moves old calls from the database to files.

package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/proposals"
	"toolcrib/store"
	"toolcrib/store/calls"
)

// PruneOrder returns an order to move the calls before cutoff from the database to the file at path. If path is "", the
// file is in the folder of the database or, if the database is on a server, in the data folder. Its name then contains
// the numbers of the first and the last moved call.
func (a *App) PruneOrder(by proposals.Actor, cutoff time.Time, path string) (calls.PruneOrder, error) {
	prefix := a.Config.DB + "."
	if store.IsURL(a.Config.DB) {
		home, err := process.DataHome(a.Env)
		if err != nil {
			return calls.PruneOrder{}, err
		}
		prefix = filepath.Join(home, "toolcrib") + string(filepath.Separator)
	}
	return calls.PruneOrder{
		ID: a.Env.NewID(), By: by, Now: a.Env.Now(), Before: cutoff.UTC(),
		File: func(first, last int64) string {
			if path != "" {
				return a.Path(path)
			}
			return fmt.Sprintf("%scalls-%d-%d.jsonl", prefix, first, last)
		},
	}, nil
}

// pruneAtOnce is the maximum number of calls to move in a transaction. A larger transaction would delay concurrent
// calls.
const pruneAtOnce = 5000

// KeepCalls starts a goroutine that moves calls older than the calls.keep setting to files. The goroutine ends when it
// has moved all of these calls, or when stop is called. KeepCalls does nothing if the setting is absent, if the actor
// is not a user, if the database is read-only, or over SSH.
func (a *App) KeepCalls(ctx context.Context, warn func(string)) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	keep, err := settings.ParseAge(a.Config.Calls.Keep)
	by, failed := a.Actor()
	if err != nil || failed != nil || by.Kind != proposals.User || a.DB.Frozen() || a.Remote != nil {
		return stop // ParseAge fails only if the setting is absent, because LoadConfig validates it
	}
	go func() {
		for pause := 3 * time.Second; ; pause = time.Second { // the pauses let tool calls and the first page of the workbench proceed
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return
			}
			order, err := a.PruneOrder(by, a.Env.Now().Add(-keep), "")
			order.Slack, order.Most = 24*time.Hour, pruneAtOnce
			var moved calls.Prune
			if err == nil {
				moved, err = a.DB.Calls().Prune(ctx, order)
			}
			if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrRefused) && !errors.Is(err, proposals.ErrConflict) { // the excluded errors mean that another process moved the calls
				warn("cannot move old calls to a file: " + output.Sentence(err))
			}
			if err != nil || moved.Calls < pruneAtOnce {
				return
			}
		}
	}()
	return stop
}
