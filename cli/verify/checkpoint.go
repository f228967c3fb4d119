// This file implements the checkpoint command, and reads the checkpoints for the verify command.

package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/history"
	"toolcrib/signing/checkpoint"
)

type docCheckpoint struct {
	output.Head
	Note     string `json:"note"` // the signed checkpoint
	Origin   string `json:"origin"`
	Size     int64  `json:"size"`
	Root     string `json:"root"`
	Call     int64  `json:"call"` // number of the newest call, or 0 if the log contains no calls
	CallHash string `json:"call_hash"`
}

type docCheckpointKey struct {
	output.Head
	File   string `json:"file"` // file with the public key
	Public string `json:"public"`
}

func newCheckpoint(a *command.App) *cobra.Command {
	var newKey, publish, startOver bool
	cmd := &cobra.Command{
		Use:  "checkpoint",
		Args: command.ExactArgs(0, "no arguments (toolcrib verify --checkpoint FILE proves that the log extends a checkpoint)"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case newKey:
				return newCheckpointKey(a)
			case startOver && !publish:
				return process.Usagef("--start-over needs --publish")
			case !publish:
				return runCheckpoint(cmd.Context(), a)
			}
			if _, err := a.Database(cmd.Context()); err != nil {
				return err
			}
			if err := publishCheckpoint(cmd.Context(), a, startOver); err != nil {
				return err
			}
			doc, err := Published(cmd.Context(), a)
			if err != nil {
				return err
			}
			return a.Print(docPublication{output.NewHead("checkpoint.published"), doc}, func(p *output.Page) { p.Linef("%s", doc.Text()) })
		},
	}
	cmd.Flags().BoolVar(&newKey, "new-key", false, "create the key that signs checkpoints, and print the public half of the key")
	cmd.Flags().BoolVar(&publish, "publish", false, "publish a checkpoint to the configured target")
	cmd.Flags().BoolVar(&startOver, "start-over", false, "with --publish: publish even if the log does not extend the newest published checkpoint")
	return cmd
}

func newCheckpointKey(a *command.App) error {
	private, public, err := checkpointKeys(a.Env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(private), 0o700); err != nil {
		return err
	}
	text, err := checkpoint.NewKey(private)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists, and a new key cannot verify the checkpoints that the old key signed; move the file away first: %w", private, err)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(public, []byte(text+"\n"), 0o600); err != nil {
		return err
	}
	doc := docCheckpointKey{Head: output.NewHead("checkpoint.key"), File: public, Public: text}
	return a.Print(doc, func(p *output.Page) { p.Linef("%s", doc.Public) })
}

// checkpointKeys returns the paths of the private and the public key for checkpoints, which are in the user's
// configuration folder.
func checkpointKeys(env process.Env) (private, public string, err error) {
	home, err := process.ConfigHome(env)
	folder := filepath.Join(home, "toolcrib")
	return filepath.Join(folder, "checkpoint.key"), filepath.Join(folder, "checkpoint.pub"), err
}

func runCheckpoint(ctx context.Context, a *command.App) error {
	signer, err := CheckpointSigner(a)
	if err != nil {
		return err
	}
	db, err := a.Inspected(ctx)
	if err != nil {
		return err
	}
	checker := checkpoint.NewChecker()
	r, err := command.ReadView(ctx, db.Audit, func(l history.Ledger) (history.Report, error) {
		return history.Verify(ctx, logOnly{watched{l, checker}}, history.Options{})
	})
	if err != nil {
		return err
	}
	if len(r.Damage) > 0 {
		return PrintReport(a, Verification{Report: r}, nil)
	}
	c, err := checker.Checkpoint()
	if err != nil {
		return err
	}
	signed, err := checkpoint.Sign(c, signer)
	if err != nil {
		return err
	}
	doc := docCheckpoint{
		Head: output.NewHead("checkpoint"), Note: string(signed), Origin: c.Origin(), Size: c.Size, Root: c.Root.String(), Call: c.Calls.Seq, CallHash: c.Calls.Hash,
	}
	return a.Print(doc, func(p *output.Page) { p.Text("", doc.Note) })
}

// CheckpointSigner returns the user's key for signing checkpoints. It returns ErrNoKey if the user has no such key.
func CheckpointSigner(a *command.App) (note.Signer, error) {
	private, _, err := checkpointKeys(a.Env)
	if err != nil {
		return nil, err
	}
	signer, err := checkpoint.ReadSigner(private)
	if settings.Missing(err) {
		return nil, fmt.Errorf("%w; create a key with toolcrib checkpoint --new-key", checkpoints.ErrNoKey)
	}
	return signer, err
}

// watched is a ledger that passes each event and each call that it reads to checker.
type watched struct {
	history.Ledger
	checker *checkpoint.Checker
}

// Chains that checkpoints cover.
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
			w.checker.Moved(r.After.Number, r.After.Seal)
			w.checker.Call(r.Number, r.Seal)
		}
		return fn(r)
	})
}

// logOnly is a ledger that contains only the chains that checkpoints cover.
type logOnly struct{ watched }

func (logOnly) Tables() []string { return []string{eventChain, callChain} }

func (logOnly) Structure(context.Context, bool, func(history.Damage)) error { return nil }

func (logOnly) Inconsistencies(context.Context, bool, func(history.Damage)) error { return nil }

// keptCheckpoint is a checkpoint in a file of the user. The log of the database must extend this checkpoint.
type keptCheckpoint struct {
	checkpoint.Checkpoint
	file     string
	signed   bool // the signature was verified
	unproven bool // the newest call of the checkpoint was moved to a file that the user did not pass
}

// readCheckpoints reads the checkpoints in files and verifies their signatures. key is the path of a file with the
// public key. If it is "", the key in the user's configuration folder is used. If there is no such key, readCheckpoints
// does not verify the signatures.
func readCheckpoints(ctx context.Context, a *command.App, files []string, key string) ([]keptCheckpoint, error) {
	var known note.Verifiers
	if len(files) > 0 && a.Remote == nil { // the key of a user connected over SSH is on another machine
		_, public, err := checkpointKeys(a.Env)
		if key != "" {
			public, err = a.Path(key), nil
		}
		if err != nil {
			return nil, err
		}
		known, err = checkpoint.ReadVerifier(public)
		if key == "" && settings.Missing(err) {
			known = nil // the key in the configuration folder is optional
		} else if err != nil {
			return nil, err
		}
	}
	kept := make([]keptCheckpoint, len(files))
	for i, file := range files {
		text, err := a.ReadAll(ctx, file)
		if err != nil {
			return nil, err
		}
		kept[i] = keptCheckpoint{file: file, signed: known != nil}
		if known == nil {
			kept[i].Checkpoint, err = checkpoint.Read(text)
		} else {
			kept[i].Checkpoint, err = checkpoint.Open(text, known)
		}
		if err != nil {
			return nil, fmt.Errorf("checkpoint %s: %w", file, err)
		}
	}
	return kept, nil
}
