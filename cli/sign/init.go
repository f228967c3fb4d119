// This file implements the signers init command, which starts signing in a database.

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

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"

	"toolcrib/cli/command"
	"toolcrib/cli/settings"
	"toolcrib/cli/signature"
	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/atomicfile"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/keys"
	"toolcrib/signing/signers"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
)

func newSignersInit(a *command.App) *cobra.Command {
	var sign signature.Flags
	cmd := &cobra.Command{
		Use: "init",
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.Creates = true
			b, err := a.OpenSession(cmd.Context())
			if err != nil {
				return err
			}
			if err := proposals.Authorize(b.Actor, proposals.ActChangeSigners, proposals.Actor{}); err != nil {
				return err
			}
			c := *a.Config
			states, err := b.Desk.Signers.SignersStates(cmd.Context())
			if err != nil {
				return err
			}
			key, err := ownKey(cmd.Context(), a, sign.Key)
			if len(states) > 0 { // signing has started, because an earlier run was interrupted or because another user started it
				start := states[0].Event.Hash
				s, _, err := c.Signers.Load()
				if err == nil && key.Public != nil && c.Signatures == "" && c.SignedSince == "" && s.Digest() == statement.Sum(states[len(states)-1].Text) {
					if _, err := s.May(b.Actor.String(), key.Public, a.Env.Now()); err == nil {
						if err := writeSigning(a, c, start, key.File); err != nil {
							return err
						}
						return printSigners(a, proof.SignersState{})
					}
				}
				return fmt.Errorf("%w: signing has already started in this database, with event %s; add signatures = \"required\" and signed_since = %q to %s, and ask a signer to add your key with toolcrib signers add",
					proposals.ErrUnchanged, start, start, c.UserFile)
			}
			if err != nil {
				return err
			}
			next, text, err := firstSigners(c, b.Actor.String(), key)
			if err != nil {
				return err
			}
			if _, err := startSigning(c, "", key.File); err != nil { // report invalid settings before signing anything
				return err
			}
			desk, err := c.DeskOf(a.DB, a.Env, next)
			if err != nil {
				return err
			}
			sign.Key = key.File
			signed, err := signSigners(cmd.Context(), a, desk, b.Actor, sign, next)
			if err != nil {
				return err
			}
			if text != nil { // the signers file does not exist yet
				if err := os.MkdirAll(filepath.Dir(c.UserFile), 0o700); err != nil {
					return err
				}
				if err := atomicfile.Write(filepath.Join(filepath.Dir(c.UserFile), signers.AllowedFile), text, atomicfile.Options{Mode: 0o600, Keep: true}); err != nil {
					return err
				}
			}
			state, err := desk.Signed(*signed).Signers.ChangeSigners(cmd.Context(), b.Actor)
			if err != nil {
				return err
			}
			if err := writeSigning(a, c, state.Event.Hash, key.File); err != nil {
				return err
			}
			counts, err := command.ReadView(cmd.Context(), a.DB.View, func(r review.Reader) (map[proposals.State]int, error) { return r.Counts(cmd.Context()) })
			if err != nil {
				return err
			}
			if counts[proposals.Approved] > 0 {
				a.Note("toolcrib: agents no longer get the versions that were approved before. To propose the same content again: toolcrib signers renew")
			}
			return printSigners(a, state)
		},
	}
	cmd.Flags().StringVar(&sign.Key, "sign-key", "", signature.KeyUsage)
	return cmd
}

// writeSigning adds the settings for signing to the user's configuration file.
func writeSigning(a *command.App, c settings.Config, since, keyFile string) error {
	edited, err := startSigning(c, since, keyFile)
	if err != nil {
		return err
	}
	file := c.UserFile
	if real, err := filepath.EvalSymlinks(file); err == nil { // preserve a symbolic link
		file = real
	}
	if err := atomicfile.Write(file, edited, atomicfile.Options{Mode: 0o600, Keep: true}); err != nil {
		return err
	}
	a.Note("toolcrib: wrote the settings for signing to %s.", c.UserFile)
	return nil
}

// firstSigners returns the first state of the signers, in which key belongs to principal. If the signers file does not
// exist, firstSigners also returns the text for this file. If the file exists, it must contain the key.
func firstSigners(c settings.Config, principal string, key keys.Key) (*signers.Signers, []byte, error) {
	s, _, err := c.Signers.Load()
	switch {
	case errors.Is(err, signers.ErrNoFile):
	case err != nil:
		return nil, nil, fmt.Errorf("%w: %w", proof.ErrSigners, err)
	default:
		for _, e := range s.Entries() {
			if e.Principals[0] == principal && string(e.Key.Marshal()) == string(key.Public.Marshal()) {
				return s, nil, nil
			}
		}
		return nil, nil, fmt.Errorf("%w: the signers file exists, but does not contain the key %s for %s; add the key to the file first", proof.ErrSigners, signature.KeyName(key), principal)
	}
	e := signers.Entry{Principals: []string{principal}, Key: key.Public, Namespaces: []string{sshsig.Namespace}}
	text := []byte(e.String() + "\n")
	s, err = signers.Parse(text)
	return s, text, err
}

// startSigning adds the settings for signing to the text of the user's configuration file, and returns the new text.
// TOML requires that the settings precede the first table, so startSigning adds them at the beginning.
func startSigning(c settings.Config, since, keyFile string) ([]byte, error) {
	text, err := settings.ReadConfig(c.UserFile)
	if err != nil && !settings.Missing(err) {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte(settings.ByteOrderMark))
	var have map[string]any
	if err := toml.Unmarshal(text, &have); err != nil {
		return nil, fmt.Errorf("configuration %s: %w", c.UserFile, settings.ConfigError(err))
	}
	for _, key := range []string{"signatures", "signed_since"} {
		if _, ok := have[key]; ok {
			return nil, fmt.Errorf("configuration %s: remove %s, because signing has not started in this database", c.UserFile, key)
		}
	}
	head := fmt.Sprintf("signatures = %q\nsigned_since = %q\n", settings.SignaturesRequired, since)
	if _, ok := have["sign_key"]; !ok && keyFile != "" {
		head += "sign_key = " + spanedit.Quote(keyFile) + "\n"
	}
	return append([]byte(head), text...), nil
}

// keySource is a possible location of the user's key: a file or, if file is "", the SSH agent. If literal is set, it is
// the only key of the agent that can be used.
type keySource struct {
	file    string
	literal ssh.PublicKey
}

func (s keySource) String() string {
	switch {
	case s.literal != nil:
		return "git's user.signingkey " + ssh.FingerprintSHA256(s.literal)
	case s.file == "":
		return "the SSH agent"
	}
	return s.file
}

// fits returns an error if k, a key in this source, cannot sign decisions.
func (s keySource) fits(k ssh.PublicKey) error {
	if s.literal != nil && !bytes.Equal(k.Marshal(), s.literal.Marshal()) {
		return errors.New("the key differs from git's user.signingkey")
	}
	return sshsig.CheckKey(sshsig.Plain(k))
}

// ownKey returns the key in file or, if file is "", the first usable key among Git's signing key, the keys of the SSH
// agent, and the keys in ~/.ssh.
func ownKey(ctx context.Context, a *command.App, file string) (keys.Key, error) {
	tools := signature.KeyTools(a)
	var tried []string
	for _, source := range keySources(ctx, a, file) {
		key, err := tools.Find(ctx, source.file, source.fits)
		if err == nil && key.Public != nil && source.fits(key.Public) == nil {
			return key, nil
		}
		if file != "" {
			if errors.Is(err, keys.ErrNoKey) {
				return key, err
			}
			if err == nil && key.Public == nil {
				err = errors.New("the public half of the key is unknown; put the public half into FILE.pub in the same folder")
			} else if err == nil {
				err = source.fits(key.Public)
			}
			return key, fmt.Errorf("%w: %s: %w", keys.ErrNoKey, file, err)
		}
		tried = append(tried, source.String())
	}
	return keys.Key{}, fmt.Errorf("%w: looked at %s; create a key with ssh-keygen -t ed25519, or select a key with --sign-key", keys.ErrNoKey, strings.Join(tried, ", "))
}

// keySources returns the possible locations of the key for ownKey, in order.
func keySources(ctx context.Context, a *command.App, file string) []keySource {
	if file != "" {
		return []keySource{{file: a.Path(file)}}
	}
	var sources []keySource
	if gitSetting(ctx, a, "gpg.format") == "ssh" {
		if key, ok := keys.PublicOf([]byte(strings.TrimPrefix(gitSetting(ctx, a, "user.signingkey"), "key::"))); ok {
			sources = append(sources, keySource{literal: key}) // Git, too, uses the private half in the SSH agent
		} else if path := gitSetting(ctx, a, "--type=path", "user.signingkey"); filepath.IsAbs(path) {
			sources = append(sources, keySource{file: path})
		}
	}
	sources = append(sources, keySource{})
	home, err := a.Env.Home()
	if err != nil {
		return sources
	}
	for _, name := range []string{"id_ed25519_sk", "id_ecdsa_sk", "id_ed25519", "id_ecdsa", "id_rsa"} {
		path := filepath.Join(home, ".ssh", name)
		if _, err := os.Stat(path); err == nil {
			sources = append(sources, keySource{file: path})
		}
	}
	return sources
}

// gitSetting returns a value from Git's global configuration, or "". It does not read the configuration of the
// repository, which is untrusted.
func gitSetting(ctx context.Context, a *command.App, args ...string) string {
	cmd := exec.CommandContext(ctx, "git", append([]string{"config", "--global"}, args...)...)
	if home, err := a.Env.Home(); err == nil {
		cmd.Env = append(os.Environ(), "HOME="+home)
	}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
