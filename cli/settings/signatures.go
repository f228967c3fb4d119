// This file applies the settings that neither the environment nor a project can weaken.

package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"toolcrib/cli/process"
	"toolcrib/internal/owner"
	"toolcrib/review/proof"
	"toolcrib/signing/signers"
)

// Values of the signatures setting.
const (
	SignaturesRequired = "required"
	signaturesOff      = "off"
)

// ofSystem lists the keys that are permitted in the administrator's file. They override the keys of the user.
var ofSystem = []string{"signatures", "signed_since", "checkpoints", "follow", "policy"}

// requireSignatures applies the administrator's file. It also applies the policy of the configuration file in the
// account's home folder, even if HOME or XDG_CONFIG_HOME selects a different file. Neither the environment nor a
// project can weaken these files.
func (c *Config) requireSignatures(env process.Env) error {
	c.Signers = &signers.File{System: cmp.Or(env.System, signers.SystemFolder), User: filepath.Dir(c.UserFile)}
	if home := env.CurrentAccount().Home; filepath.IsAbs(home) {
		file := filepath.Join(home, ".config", "toolcrib", ConfigName)
		if !SameFile(file, c.UserFile) {
			if err := c.requireOfHome(file); err != nil {
				return err
			}
		}
	}
	file := filepath.Join(c.Signers.System, ConfigName)
	text, err := owner.ReadFile(file, false, maxConfig)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	system := Config{Sources: map[string]string{}}
	keys, err := system.Decode(file, fromSystem, text)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.Contains(ofSystem, key[0]) {
			return fmt.Errorf("configuration %s: unknown key %s; use signatures, signed_since, checkpoints, follow, or policy", file, key)
		}
	}
	if system.Signatures != "" && system.Signatures != SignaturesRequired {
		return fmt.Errorf("configuration %s: signatures is %q: use %s, or leave it out", file, system.Signatures, SignaturesRequired)
	}
	c.PolicyRules = append(c.PolicyRules, system.PolicyRules...)
	set := func(key, value string, to *string) {
		if value != "" {
			*to, c.Sources[key] = value, file
		}
	}
	set("signatures", system.Signatures, &c.Signatures)
	set("signed_since", system.SignedSince, &c.SignedSince)
	if system.Follow.Source != "" {
		c.Follow = system.Follow
		c.Sources["follow.source"] = file
	}
	if system.Checkpoints.Name() != "" {
		c.Checkpoints = system.Checkpoints
		c.Sources["checkpoints.to"], c.Sources["checkpoints.command"] = file, file
	}
	return nil
}

// requireOfHome applies the policy in file, the configuration file in the account's home folder. If the file requires
// signatures, requireOfHome also applies this requirement, and selects the signers file in the same folder.
func (c *Config) requireOfHome(file string) error {
	text, err := ReadConfig(file)
	if isMissing(err) {
		return nil
	}
	own := Config{Sources: map[string]string{}}
	if err == nil {
		_, err = own.Decode(file, fromUser, text)
	}
	if err != nil {
		return fmt.Errorf("configuration %s of your account: %w", file, err)
	}
	c.PolicyRules = append(c.PolicyRules, own.PolicyRules...)
	if own.Signatures == SignaturesRequired {
		c.Signatures, c.SignedSince = own.Signatures, own.SignedSince
		c.Sources["signatures"], c.Sources["signed_since"] = file, file
		c.Signers.User = filepath.Dir(file)
	}
	return nil
}

// isMissing reports whether err indicates that a file does not exist or that its parent is not a folder.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

var eventHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (c Config) checkSignatures() error {
	switch {
	case c.Signatures != "" && c.Signatures != SignaturesRequired && c.Signatures != signaturesOff:
		return fmt.Errorf("configuration: signatures is %q: use %s or %s", c.Signatures, SignaturesRequired, signaturesOff)
	case c.SignedSince != "" && !eventHash.MatchString(c.SignedSince):
		return fmt.Errorf("configuration: signed_since is %q: use the hash of an event, which toolcrib signers verify prints", c.SignedSince)
	}
	return nil
}

// SignaturePolicy returns the policy for signatures.
func (c Config) SignaturePolicy() proof.Policy {
	return proof.Policy{Required: c.Signatures == SignaturesRequired, Always: c.SignAlways, Since: c.SignedSince, Signers: c.Signers.Signers}
}
