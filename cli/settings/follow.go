package settings

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// FollowConfig names the registry that this machine follows, from the user's or the
// system's file.
type FollowConfig struct {
	Source   string `toml:"source"`   // a folder, a file, an https address, or "git:REPOSITORY"
	Signers  string `toml:"signers"`  // file with the trusted signers; "" for allowed_signers
	Unsigned bool   `toml:"unsigned"` // accept a registry that nobody signs
	Every    string `toml:"every"`    // how often to look, such as "1m", which is the default
	MaxAge   string `toml:"max_age"`  // how long an unconfirmed copy is used, such as "72h"; "" for ever
	Token    string `toml:"token"`    // file with the token for a source that is toolcrib serve; "" for none
}

// PublishConfig names where the registry is published after each decision.
type PublishConfig struct {
	To      string   `toml:"to"`      // a folder, or "git:REPOSITORY"
	Command []string `toml:"command"` // or a program that copies the folder "{}"
}

const defaultEvery = time.Minute

// Interval returns how often the source is looked at.
func (c FollowConfig) Interval() time.Duration {
	every, err := time.ParseDuration(c.Every)
	if err != nil {
		return defaultEvery
	}
	return every
}

// Oldest returns how long an unconfirmed copy is used, 0 for ever.
func (c FollowConfig) Oldest() time.Duration {
	age, err := time.ParseDuration(c.MaxAge)
	if err != nil {
		return 0
	}
	return age
}

func (c FollowConfig) check() error {
	for key, value := range map[string]string{"every": c.Every, "max_age": c.MaxAge} {
		if d, err := time.ParseDuration(value); value != "" && (err != nil || d < time.Second) {
			return fmt.Errorf("configuration: follow.%s is %q; write a duration of one second or more, such as \"1m\"", key, value)
		}
	}
	if c.Source == "" && c != (FollowConfig{}) {
		return errors.New("configuration: follow names no source; run toolcrib follow SOURCE")
	}
	return nil
}

func (c PublishConfig) check() error {
	switch {
	case c.To != "" && len(c.Command) > 0:
		return errors.New("configuration: publish has both to and command; keep one of them")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: publish.command names no program")
	case len(c.Command) > 0 && !strings.Contains(strings.Join(c.Command, " "), "{}"):
		return errors.New(`configuration: publish.command does not say where the folder stands; write "{}" for it`)
	}
	return nil
}

// Name names the target, "" for none.
func (c PublishConfig) Name() string { return cmp.Or(c.To, strings.Join(c.Command, " ")) }

func (c Config) listShared(values settingValues) {
	values.set("follow.source", c.Follow.Source)
	values.set("follow.signers", c.Follow.Signers)
	values.set("follow.every", c.Follow.Every)
	values.set("follow.max_age", c.Follow.MaxAge)
	values.set("follow.token", c.Follow.Token)
	if c.Follow.Unsigned {
		values["follow.unsigned"] = "true"
	}
	values.set("publish.to", c.Publish.To)
	values.set("publish.command", strings.Join(c.Publish.Command, " "))
}

// FollowAddress makes a folder, or the folder of a repository, absolute.
func FollowAddress(dir, address string) string {
	repository, git := strings.CutPrefix(address, GitTarget)
	if strings.Contains(repository, "://") || git && strings.Contains(repository, ":") { // user@host:path
		return address
	}
	repository = Absolute(dir, repository)
	if git {
		return GitTarget + repository
	}
	return repository
}
