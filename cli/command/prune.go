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

// PruneOrder returns an order to move the calls before a time to the file to or, if to is "", to a file in the folder
// of the database that is named after the calls.
func (a *App) PruneOrder(by proposals.Actor, before time.Time, to string) (calls.PruneOrder, error) {
	prefix := a.Config.DB + "."
	if store.IsURL(a.Config.DB) {
		home, err := process.DataHome(a.Env)
		if err != nil {
			return calls.PruneOrder{}, err
		}
		prefix = filepath.Join(home, "toolcrib") + string(filepath.Separator)
	}
	return calls.PruneOrder{
		ID: a.Env.NewID(), By: by, Now: a.Env.Now(), Before: before.UTC(),
		File: func(first, last int64) string {
			if to != "" {
				return a.Path(to)
			}
			return fmt.Sprintf("%scalls-%d-%d.jsonl", prefix, first, last)
		},
	}, nil
}

// pruneAtOnce limits the number of calls moved per transaction, so that running calls do not wait.
const pruneAtOnce = 5000

// KeepCalls moves calls older than the setting calls.keep to files in the background, until stop is called. It does
// nothing for an agent.
func (a *App) KeepCalls(ctx context.Context, warn func(string)) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	keep, err := settings.ParseAge(a.Config.Calls.Keep)
	by, failed := a.Actor()
	if err != nil || failed != nil || by.Kind != proposals.User || a.DB.Frozen() || a.Remote != nil {
		return stop // the setting is absent; LoadConfig has validated it
	}
	go func() {
		for pause := 3 * time.Second; ; pause = time.Second { // calls and the first page have priority
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
			if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrRefused) && !errors.Is(err, proposals.ErrConflict) { // another process moved them
				warn("cannot move old calls to a file: " + output.Sentence(err))
			}
			if err != nil || moved.Calls < pruneAtOnce {
				return
			}
		}
	}()
	return stop
}
