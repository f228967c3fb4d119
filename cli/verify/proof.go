package verify

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"toolcrib/cli/checkpoints"
	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/history"
	"toolcrib/signing/checkpoint"
	"toolcrib/store"
)

type docProof struct {
	output.Head
	OK     bool   `json:"ok"`
	Proof  string `json:"proof,omitempty"` // the proof, if one was made
	Event  int64  `json:"event,omitempty"` // number of the event, for a proof of inclusion
	Hash   string `json:"hash,omitempty"`  // hash of the event
	Old    int64  `json:"old,omitempty"`   // number of events in the older checkpoint, for a proof of consistency
	Size   int64  `json:"size"`            // number of events in the checkpoint
	Origin string `json:"origin"`
	Signed bool   `json:"signature_checked"`
}

func newProve(a *command.App) *cobra.Command {
	var event int64
	var extends string
	cmd := &cobra.Command{
		Use: "prove --event N | --extends FILE",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (event == 0) == (extends == "") {
				return process.Usagef("name one of --event N and --extends FILE")
			}
			return runProve(cmd.Context(), a, event, extends)
		},
	}
	cmd.Flags().Int64Var(&event, "event", 0, "prove that the log has event `N`")
	cmd.Flags().StringVar(&extends, "extends", "", "prove that the log extends the checkpoint in `FILE`")
	return cmd
}

func runProve(ctx context.Context, a *command.App, event int64, extends string) error {
	signer, err := CheckpointSigner(a)
	if err != nil {
		return err
	}
	var kept []keptCheckpoint
	if extends != "" {
		if kept, err = readCheckpoints(ctx, a, []string{extends}, ""); err != nil {
			return err
		}
	}
	db, err := a.Inspected(ctx)
	if err != nil {
		return err
	}
	log, now, hash, err := readProofLog(ctx, db, event)
	if err != nil {
		return err
	}
	proof := checkpoint.Proof{Event: event}
	if len(kept) == 0 {
		proof.Hashes, err = log.ProveEvent(now.Size, event)
	} else {
		old := kept[0].Checkpoint
		proof.Old = old.Size
		if proof.Hashes, err = log.ProveGrowth(now.Size, old.Size); err == nil {
			err = now.CheckGrowth(old, proof.Hashes)
		}
	}
	if err != nil {
		return err
	}
	if proof.Signed, err = checkpoint.Sign(now, signer); err != nil {
		return err
	}
	doc := docProof{
		Head: output.NewHead("checkpoint.proof"), OK: true, Proof: string(proof.Encode()), Event: event, Hash: hash, Old: proof.Old,
		Size: now.Size, Origin: now.Origin(), Signed: true,
	}
	return a.Print(doc, func(p *output.Page) { p.Text("", doc.Proof) })
}

// readProofLog reads the log for a proof. It returns the log, its checkpoint, and the hash of an event.
func readProofLog(ctx context.Context, db *store.DB, event int64) (log checkpoint.Log, now checkpoint.Checkpoint, hash string, err error) {
	checker := checkpoint.NewChecker()
	err = checkpoints.Each(ctx, db, 0, func(e history.Event) error {
		if e.Sum() != e.Hash {
			return fmt.Errorf("event %d: %w: it does not have the hash that it is stored with", e.Seq, checkpoint.ErrProof)
		}
		if e.Seq == event {
			hash = e.Hash
		}
		checker.Event(e.Hash)
		return log.Append(e.Hash)
	})
	if err != nil {
		return log, now, hash, err
	}
	call, callHash, err := db.CallHash(ctx, 0)
	if err != nil {
		return log, now, hash, err
	}
	if call > 0 {
		checker.Call(call, callHash)
	}
	now, err = checker.Checkpoint()
	return log, now, hash, err
}

func newProofCheck(a *command.App) *cobra.Command {
	var f struct{ event, extends, key string }
	cmd := &cobra.Command{
		Use:  "check PROOF",
		Args: command.ExactArgs(1, "the file of a proof"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (f.event == "") == (f.extends == "") {
				return process.Usagef("name one of --event HASH and --extends FILE")
			}
			return runProofCheck(cmd.Context(), a, args[0], f.event, f.extends, f.key)
		},
	}
	cmd.Flags().StringVar(&f.event, "event", "", "the `HASH` of the event")
	cmd.Flags().StringVar(&f.extends, "extends", "", "`FILE` with the earlier checkpoint")
	cmd.Flags().StringVar(&f.key, "checkpoint-key", "", "`FILE` with the public half of the key that signed (default: your own, if there is one)")
	return cmd
}

func runProofCheck(ctx context.Context, a *command.App, file, event, extends, key string) error {
	text, err := a.ReadAll(ctx, file)
	if err != nil {
		return err
	}
	proof, err := checkpoint.DecodeProof(text)
	if err != nil {
		return fmt.Errorf("proof %s: %w", file, err)
	}
	known, err := checkpointVerifiers(a, key)
	if err != nil {
		return err
	}
	now, err := openCheckpoint(proof.Signed, known)
	if err != nil {
		return fmt.Errorf("checkpoint of proof %s: %w", file, err)
	}
	doc := docProof{Head: output.NewHead("checkpoint.proof"), OK: true, Event: proof.Event, Hash: event, Old: proof.Old, Size: now.Size, Origin: now.Origin(), Signed: known != nil}
	switch {
	case event != "" && proof.Event == 0 || extends != "" && proof.Old == 0:
		return process.Usagef("%s is the other kind of proof: check an inclusion proof with --event, and a consistency proof with --extends", file)
	case event != "":
		err = now.CheckEvent(proof.Event, event, proof.Hashes)
	default:
		var kept []keptCheckpoint
		if kept, err = readCheckpoints(ctx, a, []string{extends}, key); err != nil {
			return err
		}
		if kept[0].Size != proof.Old {
			return fmt.Errorf("%w: it starts from a checkpoint of %d events, but %s has %d; name the checkpoint for which it was made with --extends", checkpoint.ErrProof, proof.Old, extends, kept[0].Size)
		}
		err = now.CheckGrowth(kept[0].Checkpoint, proof.Hashes)
	}
	if err != nil {
		return err
	}
	return a.Print(doc, func(p *output.Page) {
		if proof.Event > 0 {
			p.Linef("Event %d is part of the log of %d events.", proof.Event, now.Size)
		} else {
			p.Linef("The log of %d events extends that of %d events.", now.Size, proof.Old)
		}
		if !doc.Signed {
			p.Linef("The signature of the checkpoint was not verified, because no key for it is available.")
		}
	})
}
