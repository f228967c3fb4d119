// This file implements the signers command with its list, verify, and record subcommands.

package sign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/cli/signature"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
)

type docSigner struct {
	Principals     []string `json:"principals"`
	KeyType        string   `json:"key_type"`
	Fingerprint    string   `json:"fingerprint"`
	Authority      bool     `json:"authority"`
	VerifyRequired bool     `json:"verify_required"`
	ValidAfter     string   `json:"valid_after,omitempty"`
	ValidBefore    string   `json:"valid_before,omitempty"`
	State          string   `json:"state"` // valid or not_valid
}

type docSignersState struct {
	Number    int    `json:"number"`
	Event     int64  `json:"event"`
	EventHash string `json:"event_hash"`
	At        string `json:"at"`
	By        string `json:"by,omitempty"`
	Key       string `json:"key,omitempty"`
	Digest    string `json:"digest"`
}

type DocSigners struct {
	output.Head
	OK       bool              `json:"ok"`
	File     string            `json:"file,omitempty"`
	Digest   string            `json:"digest,omitempty"` // digest of the current file
	Required bool              `json:"required"`
	Since    string            `json:"signed_since,omitempty"`
	Signers  []docSigner       `json:"signers"`
	States   []docSignersState `json:"states"`
	Problems []string          `json:"problems"`
}

func newSigners(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:  "signers",
		Args: command.OnlySubcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{Use: "list", RunE: func(*cobra.Command, []string) error { return printSigners(a, proof.SignersState{}) }}
	cmd.AddCommand(list, newSignersAdd(a), newSignersRemove(a), newSignersRecord(a), newSignersVerify(a), newSignersInit(a), newSignersRenew(a))
	return cmd
}

// newDocSigners returns a document that lists the keys in the signers file, and whether each key is valid at the time
// t.
func newDocSigners(c settings.Config, t time.Time) (DocSigners, error) {
	doc := DocSigners{
		Head: output.NewHead("signers"), Required: c.Signatures == settings.SignaturesRequired, Since: c.SignedSince,
		Signers: []docSigner{}, States: []docSignersState{}, Problems: []string{},
	}
	s, file, err := c.Signers.Load()
	if errors.Is(err, signers.ErrNoFile) {
		return doc, fmt.Errorf("%w; to create a signers file: toolcrib signers init", err)
	}
	if err != nil {
		return doc, fmt.Errorf("%w: %w", proof.ErrSigners, err)
	}
	doc.File, doc.Digest = file, s.Digest()
	for _, e := range s.Entries() {
		d := docSigner{
			Principals: e.Principals, KeyType: e.Key.Type(), Fingerprint: ssh.FingerprintSHA256(e.Key), Authority: e.Authority, VerifyRequired: e.VerifyRequired,
			ValidAfter: output.EntryTime(e.ValidAfter), ValidBefore: output.EntryTime(e.ValidBefore), State: "valid",
		}
		if !e.ValidAt(t) {
			d.State = "not_valid"
		}
		doc.Signers = append(doc.Signers, d)
	}
	return doc, nil
}

func newSignersVerify(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "verify",
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := ExamineSigners(cmd.Context(), a)
			if err != nil {
				return err
			}
			return a.PrintChecked(doc, doc.OK, func(p *output.Page) {
				for _, s := range doc.States {
					p.Linef("state %d  %s  %s with %s  event %d %s", s.Number, s.At, s.By, s.Key, s.Event, s.EventHash)
				}
				for _, problem := range doc.Problems {
					p.Raw(p.Paint(output.InkBad, "problem") + "  " + output.Safe(problem))
				}
				if doc.OK {
					p.Raw(p.Paint(output.InkGood, "The signers are valid."))
				}
			})
		},
	}
}

// ExamineSigners returns a document with the recorded states of the signers and the problems. There is a problem if a
// signer of the previous state did not sign a state, or if the last state does not match the signers file and the
// settings.
func ExamineSigners(ctx context.Context, a *command.App) (DocSigners, error) {
	desk, err := a.OpenDesk(ctx)
	if err != nil {
		return DocSigners{}, err
	}
	doc, err := newDocSigners(*a.Config, a.Env.Now())
	if err != nil {
		doc.Problems = append(doc.Problems, output.Sentence(err))
	}
	states, err := desk.Signers.SignersStates(ctx)
	if err != nil {
		return doc, err
	}
	for _, s := range states {
		d := docSignersState{Number: s.Number, Event: s.Event.Seq, EventHash: s.Event.Hash, At: output.Timestamp(s.At)}
		if read, err := signers.Restore(s.Text, s.Revoked); err == nil {
			d.Digest = read.Digest()
		}
		err = a.DB.View(ctx, func(r review.Reader) error {
			record, err := r.Signature(ctx, s.Statement)
			if err != nil {
				return err
			}
			d.By = record.By
			if sig, err := sshsig.Parse([]byte(record.Signature)); err == nil {
				d.Key = ssh.FingerprintSHA256(sshsig.Plain(sig.Key))
			}
			return nil
		})
		if err != nil && !errors.Is(err, proposals.ErrNotFound) {
			return doc, err
		}
		doc.States = append(doc.States, d)
	}
	if err := desk.Signers.CheckSigners(ctx); err != nil && len(doc.Problems) == 0 {
		doc.Problems = append(doc.Problems, output.Sentence(err))
	}
	doc.OK = len(doc.Problems) == 0
	return doc, nil
}

func newSignersRecord(a *command.App) *cobra.Command {
	var sign signature.Flags
	cmd := &cobra.Command{
		Use: "record",
		RunE: a.InSession(func(ctx context.Context, b command.Session, _ []string) error {
			next, err := a.Config.Signers.Signers()
			if err != nil {
				return fmt.Errorf("%w: %w", proof.ErrSigners, err)
			}
			signed, err := signSigners(ctx, a, b.Desk, b.Actor, sign, next)
			if err != nil {
				return err
			}
			state, err := b.Desk.Signed(*signed).Signers.ChangeSigners(ctx, b.Actor)
			if err != nil {
				return err
			}
			return printSigners(a, state)
		}),
	}
	sign.Register(cmd.Flags())
	return cmd
}

// signSigners returns a signed statement for a change of the signers to newSigners. desk must use newSigners as its
// signers.
func signSigners(ctx context.Context, a *command.App, desk *service.Desk, actor proposals.Actor, f signature.Flags, newSigners *signers.Signers) (*proof.Signed, error) {
	states, err := desk.Signers.SignersStates(ctx)
	if err != nil {
		return nil, err
	}
	in := newSigners
	if len(states) > 0 { // a signer of the last recorded state must sign the change
		last := states[len(states)-1]
		if in, err = signers.Restore(last.Text, last.Revoked); err != nil {
			return nil, fmt.Errorf("%w: %w", proof.ErrSigners, err)
		}
		if (signers.Change{Previous: in, Next: newSigners}).DropsCertificates() {
			a.Note("toolcrib: warning: state %d has a key revocation list, which toolcrib no longer reads: certificates that the list revoked by number or id are valid again. "+
				"If such certificates exist, add valid-before to the line of the authority that issued them.", len(states))
		}
	}
	find := func() (keys.Key, error) { return signature.SigningKeyOf(ctx, a, in, actor, f.Key) }
	return signature.SignAs(ctx, a, actor, f, func() ([]byte, error) { return desk.Signers.PrepareSigners(ctx, actor) }, find)
}
