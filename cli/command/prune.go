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
// name of the file contains the numbers of the first and the last moved call. This file is next to the database. If the
// database is on a server, the file is in the data folder.
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

// pruneAtOnce is the maximum number of calls that a transaction moves. A larger transaction would delay concurrent
// calls.
const pruneAtOnce = 5000

// KeepCalls moves calls that are older than the calls.keep setting to files in the background. It ends when all of
// these calls are moved or when stop is called. It does nothing in four cases: the setting is absent, the actor is not
// a user, the database is read-only, or the user is connected over SSH.
func (a *App) KeepCalls(ctx context.Context, warn func(string)) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	keep, err := settings.ParseAge(a.Config.Calls.Keep)
	by, failed := a.Actor()
	if err != nil || failed != nil || by.Kind != proposals.User || a.DB.Frozen() || a.Remote != nil {
		return stop // ParseAge fails only if the setting is absent, because LoadConfig validates it
	}
	go func() {
		for pause := 3 * time.Second; ; pause = time.Second { // pause so that tool calls and the first page of the workbench are not delayed
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
			if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrRefused) && !errors.Is(err, proposals.ErrConflict) { // these errors mean that another process moved the calls
				warn("cannot move old calls to a file: " + output.Sentence(err))
			}
			if err != nil || moved.Calls < pruneAtOnce {
				return
			}
		}
	}()
	return stop
}
