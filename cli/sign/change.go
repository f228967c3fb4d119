package sign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/signature"
	"toolcrib/internal/atomicfile"
	"toolcrib/proposals"
	"toolcrib/review/proof"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
)

func newSignersAdd(a *command.App) *cobra.Command {
	var sign signature.Flags
	var e signers.Entry
	var after, before string
	cmd := &cobra.Command{
		Use: "add USER FILE",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return process.Usagef("%s takes a user, such as user:ada, and the file of a public key; got %s", cmd.CommandPath(), output.Counted(len(args), "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			key, err := readPublicKey(ctx, a, args[1])
			if err != nil {
				return err
			}
			e.Principals, e.Key, e.Namespaces = strings.Split(args[0], ","), key, []string{sshsig.Namespace}
			for text, to := range map[*string]*time.Time{&after: &e.ValidAfter, &before: &e.ValidBefore} {
				t, err := command.ParseTime(*text)
				if err != nil {
					return err
				}
				*to = t.Truncate(time.Second)
			}
			return changeSigners(ctx, a, sign, signers.AllowedFile, func(text []byte) ([]byte, error) {
				if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
					text = append(text, '\n')
				}
				return append(text, e.String()+"\n"...), nil
			})
		},
	}
	set := cmd.Flags()
	set.BoolVar(&e.Authority, "cert-authority", false, "the key signs certificates, not decisions")
	set.BoolVar(&e.VerifyRequired, "verify-required", false, "require a PIN or a fingerprint, not only a touch, of a FIDO key")
	set.StringVar(&after, "valid-after", "", "only from `TIME` on (RFC 3339)")
	set.StringVar(&before, "valid-before", "", "only until `TIME` (RFC 3339)")
	sign.Register(set)
	return cmd
}

func newSignersRemove(a *command.App) *cobra.Command {
	var sign signature.Flags
	var revoke bool
	cmd := &cobra.Command{
		Use:  "remove FINGERPRINT",
		Args: command.Exact(1, "the fingerprint of a key, as toolcrib signers list prints it"),
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
			e, err := entryOf(s, args[0])
			if err != nil {
				return err
			}
			if revoke {
				return changeSigners(ctx, a, sign, signers.RevokedFile, func(list []byte) ([]byte, error) { return revokeKey(ctx, list, e.Key) })
			}
			return changeSigners(ctx, a, sign, signers.AllowedFile, func(text []byte) ([]byte, error) {
				lines := strings.Split(string(text), "\n")
				if e.ValidBefore = a.Env.Now().UTC().Truncate(time.Second); !e.ValidAfter.Before(e.ValidBefore) {
					return nil, fmt.Errorf("%s is valid only from %s on; edit the file and run toolcrib signers record", args[0], output.Timestamp(e.ValidAfter))
				}
				lines[e.Line-1] = e.String()
				return []byte(strings.Join(lines, "\n")), nil
			})
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "revoke it, also for earlier signatures")
	sign.Register(cmd.Flags())
	return cmd
}

// entryOf finds the one line of a key.
func entryOf(s *signers.Signers, fingerprint string) (signers.Entry, error) {
	var found []signers.Entry
	for _, e := range s.Entries() {
		if ssh.FingerprintSHA256(e.Key) == fingerprint {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return signers.Entry{}, fmt.Errorf("%w: the signers file has no key %s", proposals.ErrNotFound, fingerprint)
	case 1:
		return found[0], nil
	}
	return signers.Entry{}, process.Usagef("%s is in %d lines; edit the file and run toolcrib signers record", fingerprint, len(found))
}

// revokeKey returns a revocation list with one more key.
func revokeKey(ctx context.Context, list []byte, key ssh.PublicKey) ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolcrib-revoke-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // public keys are not secrets
	file, public := filepath.Join(dir, "list"), filepath.Join(dir, "key.pub")
	args := []string{"-k", "-f", file}
	if len(list) > 0 {
		args = append(args, "-u")
		err = os.WriteFile(file, list, 0o600)
	}
	if err = errors.Join(err, os.WriteFile(public, ssh.MarshalAuthorizedKey(key), 0o600)); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "ssh-keygen", append(args, public)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("ssh-keygen -k: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.ReadFile(file)
}

// changeSigners edits one of the two files and records the new state, before the
// edited file takes the place of the old one.
func changeSigners(ctx context.Context, a *command.App, f signature.Flags, name string, edit func([]byte) ([]byte, error)) error {
	b, err := a.OpenSession(ctx)
	if err != nil {
		return err
	}
	c := a.Config
	_, allowed, err := c.Signers.Load()
	if err != nil {
		return fmt.Errorf("%w: %w", proof.ErrSigners, err)
	}
	texts := map[string][]byte{}
	for _, n := range []string{signers.AllowedFile, signers.RevokedFile} {
		if texts[n], err = os.ReadFile(filepath.Join(filepath.Dir(allowed), n)); err != nil && !settings.Missing(err) {
			return err
		}
	}
	if texts[name], err = edit(texts[name]); err != nil {
		return err
	}
	next, err := signers.Parse(texts[signers.AllowedFile], texts[signers.RevokedFile])
	if err != nil {
		return err
	}
	desk, err := c.DeskOf(a.DB, a.Env, next)
	if err != nil {
		return err
	}
	var state proof.SignersState
	record := func() error {
		state, err = recordSigners(ctx, a, desk, b.Actor, f, next)
		if errors.Is(err, proposals.ErrUnchanged) && !errors.Is(err, process.ErrPrinted) {
			return nil // an earlier run recorded it and was ended before it wrote the file
		}
		return err
	}
	if err := atomicfile.Write(filepath.Join(filepath.Dir(allowed), name), texts[name], atomicfile.Options{Mode: 0o600, Keep: true, Check: record}); err != nil {
		return err
	}
	return printSigners(a, state)
}

// printSigners prints who may sign, and the state that was put in force if there is
// one.
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
			p.Linef("State %d of the signers is in force.", s.Number)
		}
		doc.write(p)
	})
}

// readPublicKey reads a public key of a file, or the public half of a private one.
func readPublicKey(ctx context.Context, a *command.App, file string) (ssh.PublicKey, error) {
	text, err := a.ReadAll(ctx, file)
	if err != nil {
		return nil, err
	}
	key, ok := keys.PublicOf(text)
	if !ok {
		return nil, fmt.Errorf("%w: %s is not a public key", sshsig.ErrKey, file)
	}
	return key, sshsig.CheckKey(key)
}
