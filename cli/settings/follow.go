// This file contains the settings for following the registry of another machine and for publishing the registry of this
// machine.

package settings

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// FollowConfig specifies the registry that this machine follows. It can be set in the user's file or in the
// administrator's file.
type FollowConfig struct {
	Source   string `toml:"source"`   // a folder, a file, an https URL, or "git:REPOSITORY"
	Signers  string `toml:"signers"`  // file with the trusted signers; "" means allowed_signers
	Unsigned bool   `toml:"unsigned"` // accept a registry without signatures
	Every    string `toml:"every"`    // interval between checks for changes, such as "1m", the default
	MaxAge   string `toml:"max_age"`  // maximum age of an unconfirmed copy, such as "72h"; "" means no limit
	Token    string `toml:"token"`    // file with the token for a source that is a toolcrib server; "" means none
	Local    string `toml:"local"`    // "allow" adds the approvals of the machine's own database; "deny", the default, does not
	Calls    string `toml:"calls"`    // "send" sends the log of calls to a source that is toolcrib serve; "keep", the default, does not
}

// PublishConfig specifies where the registry is published after each decision.
type PublishConfig struct {
	To      string   `toml:"to"`      // a folder, or "git:REPOSITORY"
	Command []string `toml:"command"` // or a program that copies the published folder, whose path replaces "{}"
}

// Interval returns the interval between checks of the source.
func (c FollowConfig) Interval() time.Duration { return cmp.Or(parseLength(c.Every), time.Minute) }

// Oldest returns the time for which a copy may be used without confirmation by the source, or 0 if this time is not
// limited.
func (c FollowConfig) Oldest() time.Duration { return parseLength(c.MaxAge) }

func (c FollowConfig) check() error {
	for _, entry := range [][2]string{{"every", c.Every}, {"max_age", c.MaxAge}} {
		key, value := entry[0], entry[1]
		if d, err := time.ParseDuration(value); value != "" && (err != nil || d < time.Second) {
			return fmt.Errorf("configuration: follow.%s is %q: use a duration of at least one second, such as \"1m\"", key, value)
		}
	}
	if !slices.Contains([]string{"", "allow", "deny"}, c.Local) {
		return fmt.Errorf("configuration: follow.local is %q: use allow or deny", c.Local)
	}
	if !slices.Contains([]string{"", "keep", "send"}, c.Calls) {
		return fmt.Errorf("configuration: follow.calls is %q: use keep or send", c.Calls)
	}
	if c.Source == "" && c != (FollowConfig{}) {
		return errors.New("configuration: follow.source is missing; run toolcrib follow SOURCE")
	}
	return nil
}

func (c PublishConfig) check() error {
	switch {
	case c.To != "" && len(c.Command) > 0:
		return errors.New("configuration: publish.to cannot be combined with publish.command")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: publish.command begins with an empty string: use a program and its arguments")
	case len(c.Command) > 0 && !strings.Contains(strings.Join(c.Command, " "), "{}"):
		return errors.New(`configuration: publish.command does not contain "{}", which toolcrib replaces with the path of the folder to publish`)
	}
	return nil
}

// Name returns the name of the target, or "" if none is configured.
func (c PublishConfig) Name() string { return cmp.Or(c.To, strings.Join(c.Command, " ")) }

// FollowAddress makes the path of a folder or a repository absolute, relative to dir. It returns URLs and remote
// repositories unchanged.
func FollowAddress(dir, address string) string {
	repository, git := strings.CutPrefix(address, GitTarget)
	if strings.Contains(repository, "://") || git && strings.Contains(repository, ":") { // such as user@host:path
		return address
	}
	repository = Absolute(dir, repository)
	if git {
		return GitTarget + repository
	}
	return repository
}
