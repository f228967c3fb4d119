// This file implements the signers add and signers remove commands, which change the signers file.

package sign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/signature"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

func newSignersAdd(a *command.App) *cobra.Command {
	var sign signature.Flags
	var e signers.Entry
	var after, before string
	cmd := &cobra.Command{
		Use:  "add USER FILE",
		Args: command.ExactArgs(2, "a user, such as user:ada, and the file of a public key"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			text, err := a.ReadAll(ctx, args[1])
			if err != nil {
				return err
			}
			key, ok := keys.PublicOf(text) // PublicOf also accepts the file of a private key
			if !ok {
				return fmt.Errorf("%w: %s is not a public key", sshsig.ErrKey, args[1])
			}
			if err := sshsig.CheckKey(key); err != nil {
				return err
			}
			e.Principals, e.Key, e.Namespaces = strings.Split(args[0], ","), key, []string{sshsig.Namespace}
			validAfter, err := command.ParseTime(after)
			if err != nil {
				return err
			}
			validBefore, err := command.ParseTime(before)
			if err != nil {
				return err
			}
			e.ValidAfter, e.ValidBefore = validAfter.Truncate(time.Second), validBefore.Truncate(time.Second)
			return changeSigners(ctx, a, sign, func(text []byte) ([]byte, error) {
				if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
					text = append(text, '\n')
				}
				return append(text, e.String()+"\n"...), nil
			})
		},
	}
	set := cmd.Flags()
	set.BoolVar(&e.Authority, "cert-authority", false, "accept the key only as the authority of certificates, not for decisions")
	set.BoolVar(&e.VerifyRequired, "verify-required", false, "for a FIDO key: require a PIN or a fingerprint, not only a touch")
	set.StringVar(&after, "valid-after", "", "accept the key only after `TIME` (RFC 3339)")
	set.StringVar(&before, "valid-before", "", "accept the key only before `TIME` (RFC 3339)")
	sign.Register(set)
	return cmd
}

func newSignersRemove(a *command.App) *cobra.Command {
	var sign signature.Flags
	var revoke bool
	cmd := &cobra.Command{
		Use:  "remove FINGERPRINT",
		Args: command.ExactArgs(1, "the fingerprint of a key, as toolcrib signers list prints it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			c, err := a.Settings()
			if err != nil {
				return err
			}
			s, _, err := c.Signers.Load()
			if err != nil {
				return fmt.Errorf("%w: %w", proof.ErrSigners, err)
			}
			found := lists.Filter(s.Entries(), func(e signers.Entry) bool { return ssh.FingerprintSHA256(e.Key) == args[0] })
			switch {
			case len(found) == 0:
				return fmt.Errorf("%w: the signers file has no key %s", proposals.ErrNotFound, args[0])
			case len(found) > 1:
				return process.Usagef("%s occurs in %d lines; edit the signers file and run toolcrib signers record", args[0], len(found))
			}
			e := found[0]
			return changeSigners(ctx, a, sign, func(text []byte) ([]byte, error) {
				lines := strings.Split(string(text), "\n")
				if revoke {
					return []byte(strings.Join(slices.Delete(lines, e.Line-1, e.Line), "\n")), nil
				}
				if e.ValidBefore = a.Env.Now().UTC().Truncate(time.Second); !e.ValidAfter.Before(e.ValidBefore) {
					return nil, fmt.Errorf("%s is only valid after %s, so its validity cannot end now; edit the signers file and run toolcrib signers record", args[0], output.Timestamp(e.ValidAfter))
				}
				lines[e.Line-1] = e.String()
				return []byte(strings.Join(lines, "\n")), nil
			})
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "remove the line of the key, which also invalidates earlier signatures of the key")
	sign.Register(cmd.Flags())
	return cmd
}

// changeSigners edits the signers file, and then records the new state of the file in the database. If the process is
// killed between these steps, the result is the same as if the user had edited the file, and the user can record the
// new state with the signers record command.
func changeSigners(ctx context.Context, a *command.App, f signature.Flags, edit func([]byte) ([]byte, error)) error {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	c := a.Config
	now, file, err := c.Signers.Load()
	if err != nil {
		return fmt.Errorf("%w: %w", proof.ErrSigners, err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text, err := edit(bytes.Clone(before))
	if err != nil {
		return err
	}
	next, err := signers.Parse(text)
	if err != nil {
		return err
	}
	if next.Digest() == now.Digest() { // nothing to change, for example because the key was added before
		text = before
	}
	desk, err := c.DeskOf(a.DB, a.Env, next)
	if err != nil {
		return err
	}
	signed, err := signSigners(ctx, a, desk, b.Actor, f, next)
	inForce := errors.Is(err, proposals.ErrUnchanged)
	if err != nil && !inForce {
		return err
	}
	keep := atomicfile.Options{Mode: 0o600, Keep: true}
	if err := atomicfile.Write(file, text, keep); err != nil {
		return err
	}
	if inForce {
		return printSigners(a, proof.SignersState{})
	}
	state, err := desk.Signed(*signed).Signers.ChangeSigners(ctx, b.Actor)
	if err == nil {
		return printSigners(a, state)
	}
	states, unknown := desk.Signers.SignersStates(ctx)
	if unknown != nil || len(states) > 0 && statement.Sum(states[len(states)-1].Text) == next.Digest() {
		return err // the new state may be recorded, for example if the connection was lost after the commit
	}
	return errors.Join(err, atomicfile.Write(file, before, keep))
}

// printSigners prints the signers in the signers file. If s is not the zero value, printSigners also prints that s is
// the new state of the file.
func printSigners(a *command.App, s proof.SignersState) error {
	c, err := a.Settings()
	if err != nil {
		return err
	}
	doc, err := newDocSigners(c, a.Env.Now())
	if err != nil {
		return err
	}
	doc.OK = true
	if s.Number > 0 {
		doc.States = []docSignersState{{Number: s.Number, Event: s.Event.Seq, EventHash: s.Event.Hash, At: output.Timestamp(s.At), Digest: doc.Digest}}
	}
	return a.Print(doc, func(p *output.Page) {
		if s.Number > 0 {
			p.Linef("The signers file is recorded as state %d, which applies from now on.", s.Number)
		}
		rows := make([][]string, len(doc.Signers))
		for i, s := range doc.Signers {
			var limits []string
			if s.Authority {
				limits = append(limits, "authority")
			}
			if s.VerifyRequired {
				limits = append(limits, "verify-required")
			}
			if s.ValidAfter != "" {
				limits = append(limits, "from "+s.ValidAfter)
			}
			if s.ValidBefore != "" {
				limits = append(limits, "until "+s.ValidBefore)
			}
			rows[i] = []string{strings.Join(s.Principals, ","), s.State, s.KeyType, s.Fingerprint, strings.Join(limits, ", ")}
		}
		p.Remark("%s", doc.File)
		p.List([]string{"WHO", "NOW", "KEY TYPE", "FINGERPRINT", "LIMITS"}, rows)
	})
}
