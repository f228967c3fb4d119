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
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/proposals/filter"
	"toolcrib/review/approval"
	"toolcrib/signing/signers"
	"toolcrib/tui"
)

// policyConfig is a [[policy]] entry: who owns some subjects, and how many owners
// approve a change of one before it goes live.
type policyConfig struct {
	Subjects  []string `toml:"subjects"`  // patterns, such as "tool:project/*/*"
	Owners    []string `toml:"owners"`    // users, such as "user:mara"
	Approvals *int     `toml:"approvals"` // 1 when it is left out
	Since     string   `toml:"since"`     // it judges what is approved from then on
	Until     string   `toml:"until"`     // and before that
}

// PolicyRule is an entry that was read, with the place where it stands.
type PolicyRule struct {
	approval.Rule
	Place string // "FILE, line 12"
}

var policyHead = regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*policy[ \t]*\]\]`)

// readPolicies adds the entries of a file to those of other files: all that match a
// subject have to be satisfied, whichever file they stand in.
func (c *Config) readPolicies(file string, text []byte, entries []policyConfig) error {
	heads := policyHead.FindAllIndex(text, -1)
	rules := slices.Clone(c.PolicyRules)
	for i, entry := range entries {
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
		rules = append(rules, PolicyRule{rule, place})
	}
	c.PolicyRules = rules
	return nil
}

// rule reads an entry.
func (p policyConfig) rule() (approval.Rule, error) {
	r := approval.Rule{Owners: p.Owners, Approvals: 1}
	if p.Approvals != nil {
		r.Approvals = *p.Approvals
	}
	for _, s := range p.Subjects {
		pattern, err := approval.ParsePattern(s)
		if err != nil {
			return r, fmt.Errorf("subjects: %w", err)
		}
		r.Subjects = append(r.Subjects, pattern)
	}
	for _, owner := range p.Owners {
		if actor, err := proposals.ParseActor(owner); err != nil || actor.Kind != proposals.User {
			return r, fmt.Errorf(`owners has %q; write users such as "user:mara", because nobody else approves`, owner)
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
			return r, fmt.Errorf(`%s is %q; write a time with its zone, such as "2026-12-01T00:00:00Z"`, bound.key, bound.text)
		}
		*bound.to = at.UTC()
	}
	return r, nil
}

// setOrigin sets the origin of the entries read last.
func (c *Config) setOrigin(from string, read int) {
	c.PolicyRules = slices.Clone(c.PolicyRules)
	for i := read; i < len(c.PolicyRules); i++ {
		c.PolicyRules[i].From = from
	}
}

// Approvals returns the policy as the review service has it.
func (c Config) Approvals() approval.Rules {
	return output.Mapped(c.PolicyRules, func(r PolicyRule) approval.Rule { return r.Rule })
}

func (c Config) listPolicies(values settingValues, sources map[string]string) {
	for i, r := range c.PolicyRules {
		key := keyPath{"policy", output.Itoa(i + 1)}.String()
		values[key], sources[key] = r.String(), r.Place
	}
}

// PolicyProblems reports entries that cannot be satisfied where decisions are
// signed, because owners cannot sign.
func (c Config) PolicyProblems(now time.Time) []string {
	if c.Signatures != SignaturesRequired {
		return nil
	}
	s, err := c.Signers.Signers()
	if err != nil || s == nil {
		return nil // the signers are reported by themselves
	}
	var problems []string
	for _, r := range c.PolicyRules {
		able := 0
		for _, owner := range r.Owners {
			if canSign(s, owner, now) {
				able++
				continue
			}
			problems = append(problems, fmt.Sprintf("%s: %s owns %s and cannot sign, because the signers file has no key of that name that is valid now; add one with toolcrib signers add, or name another owner",
				r.Place, owner, r.Subjects[0]))
		}
		if able < r.Approvals {
			problems = append(problems, fmt.Sprintf("%s: %d of its owners can sign and it asks for %d approvals, so nothing that it applies to can go live", r.Place, able, r.Approvals))
		}
	}
	return problems
}

// canSign reports whether the signers file has a key by which a user may sign now.
func canSign(s *signers.Signers, user string, now time.Time) bool {
	return slices.ContainsFunc(s.Entries(), func(e signers.Entry) bool {
		return slices.Contains(e.Principals, user) && e.ValidAt(now)
	})
}

// FromProject is the origin of a setting that a project's file tightened.
const FromProject = approval.FromProject

// origins returns for each setting of a file, flag or variable the kind of source
// it comes from: what decisions record names no path of this machine.
func (c Config) origins() map[string]string {
	kinds := map[string]string{}
	for key, source := range c.Sources {
		switch {
		case source == c.UserFile:
			kinds[key] = "user"
		case source == c.ProjectFile:
			kinds[key] = FromProject
		case source == c.systemFile():
			kinds[key] = "system"
		case strings.HasPrefix(source, "-"):
			kinds[key] = "flag"
		case source != "":
			kinds[key] = "environment"
		}
	}
	return kinds
}

// checkpointsConfig is where checkpoints are published.
type checkpointsConfig struct {
	To      string   `toml:"to"`      // "git:PATH"
	Command []string `toml:"command"` // or a program, which gets the checkpoint on standard input
}

// GitTarget begins a target that is a git repository.
const GitTarget = "git:"

func (c checkpointsConfig) check() error {
	dir, git := strings.CutPrefix(c.To, GitTarget)
	switch {
	case c.To != "" && (!git || dir == ""):
		return fmt.Errorf("configuration: checkpoints.to is %q; write \"git:PATH\", or name a program with checkpoints.command", c.To)
	case c.To != "" && len(c.Command) > 0:
		return errors.New("configuration: checkpoints has both to and command; keep one of them")
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: checkpoints.command names no program")
	}
	return nil
}

// Name names the target, "" for none.
func (c checkpointsConfig) Name() string {
	return cmp.Or(c.To, strings.Join(c.Command, " "))
}

func (c checkpointsConfig) list(values settingValues) {
	values.set("checkpoints.to", c.To)
	values.set("checkpoints.command", strings.Join(c.Command, " "))
}

// notifyConfig names the receivers of notices. Only the user's own file can set
// it: it runs a program.
type notifyConfig struct {
	Command   []string       `toml:"command"`    // a program, which gets the notice on standard input
	URL       string         `toml:"url"`        // an address, which gets it by POST
	SecretEnv string         `toml:"secret_env"` // the variable with the secret that signs it
	Events    []notices.Kind `toml:"events"`     // none means all
}

func (c notifyConfig) check() error {
	for _, e := range c.Events {
		if !slices.Contains(notices.Kinds(), e) {
			return fmt.Errorf("configuration: notify.events has %q; write user_review, approval_missing, stale or call_waiting", e)
		}
	}
	switch {
	case len(c.Command) > 0 && c.Command[0] == "":
		return errors.New("configuration: notify.command names no program")
	case c.URL != "" && c.SecretEnv == "":
		return errors.New("configuration: notify.url needs secret_env, the variable with the secret that signs what is sent")
	case c.URL == "" && c.SecretEnv != "":
		return errors.New("configuration: notify.secret_env is for notify.url")
	case c.URL != "":
		if err := CheckEndpoint(c.URL, true); err != nil {
			return fmt.Errorf("configuration: notify %w", err)
		}
	}
	return nil
}

func (c notifyConfig) Given() bool { return len(c.Command) > 0 || c.URL != "" }

func (c notifyConfig) list(values settingValues) {
	values.set("notify.command", strings.Join(c.Command, " "))
	values.set("notify.url", c.URL)
}

// serveConfig is who may do what at toolcrib serve. Only the user's own file can say
// so: it lets accounts in.
type serveConfig struct {
	// Peers has the ids of tokens by uid. An account that connects to the unix socket
	// has its token without showing it.
	Peers map[string]string `toml:"peers"`
}

func (c serveConfig) check() error {
	for uid, token := range c.Peers {
		if n, err := strconv.ParseUint(uid, 10, 32); err != nil || strconv.FormatUint(n, 10) != uid {
			return fmt.Errorf("configuration: serve.peers has %q; write the number of an account, as `id -u` prints it", uid)
		}
		if err := uuid.Validate(token); err != nil || len(token) != len(uuid.UUID{}.String()) {
			return fmt.Errorf("configuration: serve.peers.%s is %q; write the id of a token, as `toolcrib tokens list` prints it", uid, token)
		}
	}
	return nil
}

func (c serveConfig) list(values settingValues) {
	for uid, token := range c.Peers {
		values["serve.peers."+uid] = token
	}
}

// TokenIDs returns the ids of tokens by uid.
func (c serveConfig) TokenIDs() map[int]string {
	ids := make(map[int]string, len(c.Peers))
	for uid, token := range c.Peers {
		if n, err := strconv.Atoi(uid); err == nil { // check has refused others
			ids[n] = token
		}
	}
	return ids
}

// maxViewName is the longest name of a view in characters: it is a tab.
const maxViewName = 20

// checkViews reads the filters of the configuration.
func (c *Config) checkViews() error {
	for _, name := range c.ViewOrder {
		if name == "" || utf8.RuneCountInString(name) > maxViewName || !visible.Clean(name) || strings.ContainsAny(name, "\n\t") {
			return fmt.Errorf("configuration: views.%q is no name of a view; write 1 to %d visible characters", name, maxViewName)
		}
		if _, err := filter.Parse(c.Views[name]); err != nil {
			return fmt.Errorf("configuration: views.%s: %s", name, err.Error()) // not a mistake of the command line
		}
	}
	return nil
}

// NamedViews returns the filters of the configuration, as its files list them.
func (c Config) NamedViews() []tui.View {
	return output.Mapped(c.ViewOrder, func(name string) tui.View { return tui.View{Name: name, Filter: c.Views[name]} })
}
