// This file contains the approval policy and the settings for checkpoints, notices, access, views, and commands.

package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"toolcrib/cli/notices"
	"toolcrib/cli/output"
	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
)

// policyConfig is a [[policy]] entry. It specifies the owners of subjects, and the number of owners who must approve a
// change.
type policyConfig struct {
	Subjects  []string `toml:"subjects"`  // patterns, such as "tool:project/*/*"
	Owners    []string `toml:"owners"`    // users, such as "user:mara"
	Approvals *int     `toml:"approvals"` // nil means 1
	Since     string   `toml:"since"`     // time when the entry takes effect
	Until     string   `toml:"until"`     // time when the entry ends
}

// PolicyRule is a parsed [[policy]] entry with its position.
type PolicyRule struct {
	approval.Rule
	Place string // "FILE, line 12"
}

var policyHead = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*policy[ \t]*\]\]`)

// readPolicies adds the entries in c.Policies, which were read from file, to c.PolicyRules. A change must satisfy all
// matching entries of all files. text is the content of the file. origin has the same values as in Decode.
func (c *Config) readPolicies(file, origin string, text []byte) error {
	heads := policyHead.FindAllIndex(text, -1)
	rules := slices.Clone(c.PolicyRules)
	for i, entry := range c.Policies {
		place := fmt.Sprintf("%s, policy %d", file, i+1)
		if i < len(heads) {
			place = fmt.Sprintf("%s, line %d", file, 1+bytes.Count(text[:heads[i][1]], []byte("\n")))
		}
		rule, err := entry.rule()
		if err == nil {
			err = rule.Check()
		}
		if err != nil {
			return fmt.Errorf("configuration %s: [[policy]]: %w", place, err)
		}
		rule.From = origin
		rules = append(rules, PolicyRule{rule, place})
	}
	c.PolicyRules = rules
	return nil
}

// rule converts the entry to an approval rule.
func (p policyConfig) rule() (approval.Rule, error) {
	r := approval.Rule{Owners: p.Owners, Approvals: *cmp.Or(p.Approvals, new(1))}
	for _, s := range p.Subjects {
		pattern, err := approval.ParsePattern(s)
		if err != nil {
			return r, fmt.Errorf("subjects: %w", err)
		}
		r.Subjects = append(r.Subjects, pattern)
	}
	for _, owner := range p.Owners {
		if actor, err := proposals.ParseActor(owner); err != nil || actor.Kind != proposals.User {
			return r, fmt.Errorf(`owners has %q: list users such as "user:mara", because only users can approve`, owner)
		}
	}
	for _, bound := range []struct {
		key, text string
		to        *time.Time
	}{{"since", p.Since, &r.Since}, {"until", p.Until, &r.Until}} {
		if bound.text == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, bound.text)
		if err != nil {
			return r, fmt.Errorf(`%s is %q: use a time with its zone, such as "2026-12-01T00:00:00Z"`, bound.key, bound.text)
		}
		*bound.to = at.UTC()
	}
	return r, nil
}

// Approvals returns the approval rules for the review service.
func (c Config) Approvals() approval.Rules {
	return lists.Map(c.PolicyRules, func(r PolicyRule) approval.Rule { return r.Rule })
}

// PolicyProblems returns a description of each owner without a valid signing key, and of each entry that requires more
// approvals than it has owners with a valid signing key. It returns nil if signatures are not required.
func (c Config) PolicyProblems(now time.Time) []string {
	if c.Signatures != SignaturesRequired {
		return nil
	}
	s, err := c.Signers.Signers()
	if err != nil || s == nil {
		return nil // other code reports problems of the signers file
	}
	var problems []string
	for _, r := range c.PolicyRules {
		able := 0
		for _, owner := range r.Owners {
			if slices.ContainsFunc(s.Entries(), func(e signers.Entry) bool { return slices.Contains(e.Principals, owner) && e.ValidAt(now) }) {
				able++
				continue
			}
			problems = append(problems, fmt.Sprintf("%s: %s owns %s but cannot sign, because the signers file has no valid key for this user; add a key with toolcrib signers add, or change the owner",
				r.Place, owner, r.Subjects[0]))
		}
		if able < r.Approvals {
			problems = append(problems, fmt.Sprintf("%s: this entry requires %s, but only %d of its owners can sign, so no change that the entry applies to can go live", r.Place, output.Counted(r.Approvals, "approval"), able))
		}
	}
	return problems
}

// Origins of settings: the files of the user, of a project, and of the administrator.
const (
	fromUser    = "user"
	FromProject = approval.FromProject
	fromSystem  = "system"
)

// kindOf converts a value of Setting.Source to a value of Setting.From. It returns "" for "".
func (c Config) kindOf(source string) string {
	switch {
	case source == "":
		return ""
	case source == c.UserFile:
		return fromUser
	case source == c.ProjectFile:
		return FromProject
	case strings.HasPrefix(source, "--"):
		return "flag"
	case strings.HasPrefix(source, "TOOLCRIB_"):
		return "environment"
	}
	return fromSystem
}

// checkpointsConfig specifies where checkpoints are published.
type checkpointsConfig struct {
	To      string   `toml:"to"`      // "git:PATH"
	Command []string `toml:"command"` // a program that receives the checkpoint on standard input
}

// GitTarget is the prefix of a target that is a Git repository.
const GitTarget = "git:"

func (c checkpointsConfig) check() error {
	dir, git := strings.CutPrefix(c.To, GitTarget)
	switch {
	case c.To != "" && (!git || dir == ""):
		return fmt.Errorf("configuration: checkpoints.to is %q: use \"git:PATH\", or configure a program as checkpoints.command", c.To)
	case c.To != "" && len(c.Command) > 0:
		return errors.New("configuration: checkpoints.to cannot be combined with checkpoints.command")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: checkpoints.command begins with an empty string: use a program and its arguments")
	}
	return nil
}

// Name returns the name of the target, or "" if none is configured.
func (c checkpointsConfig) Name() string {
	return cmp.Or(c.To, strings.Join(c.Command, " "))
}

// notifyConfig specifies the receivers of notices. A project's file cannot contain it, because it specifies a program
// to run.
type notifyConfig struct {
	Command   []string       `toml:"command"`    // a program that receives the notice on standard input
	URL       string         `toml:"url"`        // a URL that receives the notice as a POST request
	SecretEnv string         `toml:"secret_env"` // the environment variable with the secret that signs the request
	Events    []notices.Kind `toml:"events"`     // empty means all
}

func (c notifyConfig) check() error {
	for _, e := range c.Events {
		if !slices.Contains(notices.Kinds(), e) {
			return fmt.Errorf("configuration: notify.events has %q: use user_review, approval_missing, stale, or call_waiting", e)
		}
	}
	switch {
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: notify.command begins with an empty string: use a program and its arguments")
	case c.URL != "" && c.SecretEnv == "":
		return errors.New("configuration: notify.url needs notify.secret_env: use the name of the variable with the secret for signing requests")
	case c.URL == "" && c.SecretEnv != "":
		return errors.New("configuration: notify.secret_env needs notify.url")
	case c.URL != "":
		if err := CheckEndpoint(c.URL, true); err != nil {
			return fmt.Errorf("configuration: notify %w", err)
		}
	}
	return nil
}

// Configured reports whether notices have a receiver.
func (c notifyConfig) Configured() bool { return len(c.Command) > 0 || c.URL != "" }

// serveConfig contains the settings of the serve command. A project's file cannot contain it, because it grants access.
type serveConfig struct {
	// Peers maps user ids to token ids. When an account in Peers connects to the Unix socket, the account has the
	// rights of its token without sending the token.
	Peers map[string]string `toml:"peers"`
}

func (c serveConfig) check() error {
	for uid, token := range c.Peers {
		if n, err := strconv.ParseUint(uid, 10, 32); err != nil || strconv.FormatUint(n, 10) != uid {
			return fmt.Errorf("configuration: serve.peers has %q: use the uid of an account, which `id -u` prints", uid)
		}
		if err := uuid.Validate(token); err != nil || len(token) != len(uuid.UUID{}.String()) {
			return fmt.Errorf("configuration: serve.peers.%s is %q: use the id of a token, which `toolcrib tokens list` prints", uid, token)
		}
	}
	return nil
}

// TokenIDs returns the map Peers with user ids as numbers.
func (c serveConfig) TokenIDs() map[int]string {
	ids := make(map[int]string, len(c.Peers))
	for uid, token := range c.Peers {
		if n, err := strconv.Atoi(uid); err == nil { // check has rejected invalid values
			ids[n] = token
		}
	}
	return ids
}

// maxViewName is the maximum length of a view's name in characters. The name is shown on a tab.
const maxViewName = 20

// validName reports whether name is suitable as the name of a view or a command in the workbench.
func validName(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= maxViewName && visible.Clean(name) && !strings.ContainsAny(name, "\n\t")
}

// checkViews validates the names and the filters of the configured views.
func (c *Config) checkViews() error {
	for _, name := range c.ViewOrder {
		if !validName(name) {
			return fmt.Errorf("configuration: views.%q is not a valid name: use 1 to %d visible characters", name, maxViewName)
		}
		if _, err := filter.Parse(c.Views[name]); err != nil {
			return fmt.Errorf("configuration: views.%s: %s", name, err.Error()) // not %w, which would make this a usage error
		}
	}
	return nil
}

// maxCommands is the maximum number of commands in the workbench, where each command has a digit as its key.
const maxCommands = 9

func (c *Config) checkCommands() error {
	if len(c.Commands) > maxCommands {
		return fmt.Errorf("configuration: commands has %d entries; the workbench offers at most %d", len(c.Commands), maxCommands)
	}
	for name, args := range c.Commands {
		switch {
		case !validName(name):
			return fmt.Errorf("configuration: commands.%q is not a valid name: use 1 to %d visible characters", name, maxViewName)
		case len(args) == 0 || args[0] == "":
			return fmt.Errorf("configuration: commands.%s has no program: write [\"program\", \"argument\", \"{id}\"]", name)
		}
	}
	return nil
}
