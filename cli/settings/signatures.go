package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"toolcrib/cli/process"
	"toolcrib/internal/owner"
	"toolcrib/review/proof"
	"toolcrib/signing/signers"
)

// The values of the setting signatures.
const (
	SignaturesRequired = "required"
	signaturesOff      = "off"
)

// systemConfig holds the settings of the administrator's file, which win over the user's.
type systemConfig struct {
	Signatures  string            `toml:"signatures"`
	SignedSince string            `toml:"signed_since"`
	Checkpoints checkpointsConfig `toml:"checkpoints"`
	Follow      FollowConfig      `toml:"follow"`
	Policies    []policyConfig    `toml:"policy"`
}

// systemFolder is where the administrator's files are.
func systemFolder(e process.Env) string {
	return cmp.Or(e.System, signers.SystemFolder)
}

// systemFile is the administrator's file.
func (c Config) systemFile() string { return filepath.Join(c.Signers.System, ConfigName) }

// requireSignatures lays over the user's file what neither the environment nor a
// project may lower: the administrator's file, and the file of the account's own
// home folder where HOME or XDG_CONFIG_HOME name another.
func (c *Config) requireSignatures(env process.Env) error {
	c.Signers = &signers.File{System: systemFolder(env), User: filepath.Dir(c.UserFile)}
	if home := env.CurrentAccount().Home; filepath.IsAbs(home) {
		file := filepath.Join(home, ".config", "toolcrib", ConfigName)
		if !SameFile(file, c.UserFile) {
			if err := c.requireOfHome(file); err != nil {
				return err
			}
		}
	}
	file := c.systemFile()
	text, err := owner.ReadFile(file, false, maxConfig)
	if notThere(err) {
		return nil
	}
	var system systemConfig
	var unknown []keyPath
	if err == nil {
		_, unknown, err = DecodeConfig(text, &system)
	}
	if err == nil && len(unknown) > 0 {
		err = fmt.Errorf("unknown key %s; it can have signatures, signed_since, checkpoints, follow, and policy", unknown[0])
	}
	if err == nil && system.Signatures != "" && system.Signatures != SignaturesRequired {
		err = fmt.Errorf("signatures is %q; write %s, or leave it out", system.Signatures, SignaturesRequired)
	}
	if err != nil {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	read := len(c.PolicyRules)
	if err := c.readPolicies(file, text, system.Policies); err != nil {
		return err
	}
	c.setOrigin("system", read)
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

// requireOfHome has signatures required when the file of the account's home folder
// says so, by the signers beside it, and its policy in force.
func (c *Config) requireOfHome(file string) error {
	text, err := ReadConfig(file)
	if notThere(err) {
		return nil
	}
	own := Config{Sources: map[string]string{}}
	if err == nil {
		_, err = own.Decode(file, text)
	}
	if err != nil {
		return fmt.Errorf("configuration %s, which is that of your account: %w", file, err)
	}
	own.setOrigin("user", 0)
	c.PolicyRules = append(c.PolicyRules, own.PolicyRules...)
	if own.Signatures == SignaturesRequired {
		c.Signatures, c.SignedSince = own.Signatures, own.SignedSince
		c.Sources["signatures"], c.Sources["signed_since"] = file, file
		c.Signers.User = filepath.Dir(file)
	}
	return nil
}

// notThere reports whether there is no such file, also because a folder is none.
func notThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || err != nil && strings.Contains(err.Error(), "not a directory")
}

var eventHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (c Config) checkSignatures() error {
	switch {
	case c.Signatures != "" && c.Signatures != SignaturesRequired && c.Signatures != signaturesOff:
		return fmt.Errorf("configuration: signatures is %q; write %s or %s", c.Signatures, SignaturesRequired, signaturesOff)
	case c.SignedSince != "" && !eventHash.MatchString(c.SignedSince):
		return fmt.Errorf("configuration: signed_since is %q; it is the hash of an event, which toolcrib signers verify prints", c.SignedSince)
	}
	return nil
}

// SignaturePolicy is the part of the policy about signatures.
func (c Config) SignaturePolicy() proof.Policy {
	return proof.Policy{Required: c.Signatures == SignaturesRequired, Always: c.SignAlways, Since: c.SignedSince, Signers: c.Signers.Signers}
}

func (c Config) listSignatures(values settingValues) {
	values["signatures"] = cmp.Or(c.Signatures, signaturesOff)
	values.set("signed_since", c.SignedSince)
	values.set("sign_key", c.SignKey)
}
