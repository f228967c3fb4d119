package cli

import (
	"context"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"toolcrib/history"
	"toolcrib/signing/checkpoint"
)

// watched shows the events and calls of a ledger to a checker as they are read.
type watched struct {
	history.Ledger
	checker *checkpoint.Checker
}

// The chains that checkpoints are about.
const (
	eventChain = "events"
	callChain  = "calls"
)

func (w watched) Rows(ctx context.Context, table string, fn func(history.Row) error) error {
	return w.Ledger.Rows(ctx, table, func(r history.Row) error {
		switch r.Chain {
		case eventChain:
			w.checker.Event(r.Seal)
		case callChain:
			w.checker.Call(r.Number, r.Seal)
		}
		return fn(r)
	})
}

// logOnly is a ledger without what checkpoints are not about.
type logOnly struct{ watched }

func (logOnly) Tables() []string { return []string{eventChain, callChain} }

func (logOnly) Structure(context.Context, bool, func(history.Damage)) error { return nil }

func (logOnly) Inconsistencies(context.Context, bool, func(history.Damage)) error { return nil }

// keptCheckpoint is one that the database has to extend.
type keptCheckpoint struct {
	checkpoint.Checkpoint
	file   string
	signed bool // by a key that is known here
}

// readCheckpoints reads checkpoints with the public half of a key, "" for the
// user's own. Where there is none, their signatures are not looked at.
func (a *app) readCheckpoints(ctx context.Context, files []string, key string) ([]keptCheckpoint, error) {
	var known note.Verifiers
	if len(files) > 0 && a.remote == nil { // who comes in through a door has no key here
		var err error
		if known, err = a.checkpointVerifiers(key); err != nil {
			return nil, err
		}
	}
	kept := make([]keptCheckpoint, len(files))
	for i, file := range files {
		text, err := a.readAll(ctx, file)
		if err != nil {
			return nil, err
		}
		kept[i] = keptCheckpoint{file: file, signed: known != nil}
		if kept[i].Checkpoint, err = openCheckpoint(text, known); err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", file, err)
		}
	}
	return kept, nil
}

// openCheckpoint reads a checkpoint that a known key signed. Without known keys,
// signatures are not looked at.
func openCheckpoint(signed []byte, known note.Verifiers) (checkpoint.Checkpoint, error) {
	if known == nil {
		return checkpoint.Read(signed)
	}
	return checkpoint.Open(signed, known)
}

// checkpointVerifiers returns the key whose public half is in a file, "" for the
// user's own; nil where there is none of that.
func (a *app) checkpointVerifiers(file string) (note.Verifiers, error) {
	if file != "" {
		return checkpoint.ReadVerifier(a.path(file))
	}
	_, public, err := checkpointKeys(a.env)
	if err != nil {
		return nil, err
	}
	known, err := checkpoint.ReadVerifier(public)
	if missing(err) {
		return nil, nil //nolint:nilnil // there need not be one
	}
	return known, err
}

// checkerOf returns a checker of checkpoints, nil for none.
func checkerOf(kept []keptCheckpoint) *checkpoint.Checker {
	if len(kept) == 0 {
		return nil
	}
	return checkpoint.NewChecker(mapped(kept, func(k keptCheckpoint) checkpoint.Checkpoint { return k.Checkpoint })...)
}

// extended adds the faults of checkpoints to a report.
func extended(r *verification, kept []keptCheckpoint, checker *checkpoint.Checker) {
	if checker == nil {
		return
	}
	for i, err := range checker.Result() {
		if err != nil {
			r.Damage = append(r.Damage, history.Damage{Table: "checkpoints", Key: "checkpoint " + kept[i].file, Message: stop("The database does not extend it: " + err.Error())})
		}
	}
}
