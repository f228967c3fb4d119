package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/clients"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/service"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// Desk puts the desk that the settings describe before a store.
func (c Config) Desk(db review.Store, env process.Env) (*service.Desk, error) {
	return c.DeskOf(db, env, nil)
}

// DeskOf is desk with signers that are not written to their file yet, nil for those
// of the file.
func (c Config) DeskOf(db review.Store, env process.Env, next *signers.Signers) (*service.Desk, error) {
	policy := c.connect(c.Policy(), env)
	if next != nil {
		policy.Signatures.Signers = func() (*signers.Signers, error) { return next, nil }
	}
	desk, err := service.New(db, policy, env.Now, env.NewID)
	if err != nil {
		_, named := c.RuleSet()
		return nil, cmp.Or(named, err)
	}
	return desk, nil
}

// RulesVersion names the rules and the policy in force, for which no database
// is needed.
func (c Config) RulesVersion(env process.Env) (string, error) {
	desk, err := c.Desk(nil, env)
	if err != nil {
		return "", err
	}
	return desk.RulesVersion(), nil
}

// Principal is who acts when nobody is named: the user or agent that the login of the
// database names, which the server has authenticated, else the user of the account.
func (c Config) Principal(env process.Env) proposals.Actor {
	if login, err := store.Login(c.DB); err == nil && login != "" { // opening it reports the error
		if actor, err := proposals.ParseActor(login); err == nil && (actor.Kind == proposals.User || actor.Kind == proposals.Agent) {
			return actor
		}
	}
	return proposals.Actor{Kind: proposals.User, Name: process.LoginName(env)}
}

// User returns the name of the user for whom something is done when none is named.
func (c Config) User(env process.Env) string {
	if actor := c.Principal(env); actor.Kind == proposals.User {
		return actor.Name
	}
	return process.LoginName(env)
}

// Users are the users that the account may act as: its own first, then those that the
// user's own file names.
func (c Config) Users(env process.Env) []string {
	return append([]string{proposals.Actor{Kind: proposals.User, Name: c.User(env)}.String()}, c.MayActAs...)
}

// ReadConfig reads a file that is one, and not endless: a pipe would keep
// everybody waiting.
func ReadConfig(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder; the configuration is a file")
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: it is not a file", errConfigShape)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%w: it has more than %d KiB", errConfigShape, maxConfig>>10)
	}
	return text, err
}

// RuleSet returns the rules in force. An error names the file that asks for
// what there is not.
func (c Config) RuleSet() (ruleset.Set, error) {
	set, err := ruleset.NewSet(c.Rules)
	if err == nil {
		if err := c.Reach.Check(); err != nil {
			return set, fmt.Errorf("configuration %s: %w", cmp.Or(c.Sources["reach.block"], c.Sources["reach.warn"], c.Sources["reach.allow"]), err)
		}
		return set.WithReach(c.Reach), nil
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rules)) {
		if _, err := ruleset.NewSet(map[string]rules.Severity{id: c.Rules[id]}); err != nil {
			return set, fmt.Errorf("configuration %s: %w", c.Sources[keyPath{"rules", id}.String()], err)
		}
	}
	return set, fmt.Errorf("configuration: %w", err)
}

// Setting is a setting in force, with what sets it.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Source is the flag, the variable or the file that sets it, or "default".
	Source string `json:"source"`
	// From is flag, environment, project, user, system or default.
	From string `json:"from"`
}

func (s Setting) Row() []string { return []string{s.Key, s.Value, s.Source} }

// settingValues are the values of settings by their keys.
type settingValues map[string]string

// set leaves out a setting that is not there.
func (v settingValues) set(key, value string) {
	if value != "" {
		v[key] = value
	}
}

// List returns every setting with its source.
func (c Config) List() []Setting {
	values := settingValues{
		"db": store.DisplayName(c.DB), "project": c.Project, "workspace": c.Workspace, "chief": c.Chief, "four_eyes": strconv.FormatBool(c.FourEyes),
		"require_expect": strconv.FormatBool(c.RequireExpect), "accessible": strconv.FormatBool(c.Accessible), "max_open_per_agent": output.Itoa(c.MaxOpen),
		"max_open_all_agents": output.Itoa(c.Policy().OpenOfAll()), "max_writes_per_agent_hour": output.Itoa(c.MaxWrites),
	}
	for id, severity := range c.Rules {
		values["rules."+id] = string(severity)
	}
	values.set("guard."+noticeKey, strconv.FormatBool(c.Notices()))
	maps.Copy(values, c.Reach.Lists())
	for name, g := range c.Guard {
		values.set(keyPath{"guard", name, "prompts"}.String(), string(g.Prompts))
	}
	for name, view := range c.Views {
		values[keyPath{"views", name}.String()] = view
	}
	for name, server := range c.Servers {
		if key := "servers." + name; server.URL != "" {
			values[key] = clients.Server{URL: server.URL}.Masked().URL
		} else if len(server.Command) > 0 {
			// a command may have secrets in it
			masked := clients.Server{Args: server.Command[1:]}.Masked().Args
			values[key] = strings.Join(append(server.Command[:1:1], masked...), " ")
		}
	}
	values.set("theme", c.Theme)
	for name, colour := range c.Workbench.Colors {
		values[keyPath{"workbench", "colors", name}.String()] = colour
	}
	values.set("may_act_as", strings.Join(c.MayActAs, " "))
	for action, keys := range c.Keys {
		values[keyPath{"keys", action}.String()] = strings.Join(keys, " ")
	}
	sources := maps.Clone(c.Sources)
	c.listPolicies(values, sources)
	c.Checkpoints.list(values)
	c.listSignatures(values)
	c.listShared(values)
	c.Notify.list(values)
	c.Serve.list(values)
	c.Gateway.list(values)
	c.Model.list(values)
	for _, r := range c.Reviewers {
		values["reviewers."+r.Name] = r.word(c.Model)
	}
	settings := make([]Setting, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		source := sources[key]
		if source == "" && strings.HasPrefix(key, "reviewers.") {
			source = sources["reviewers"]
		}
		source = cmp.Or(source, "default")
		settings = append(settings, Setting{Key: key, Value: values[key], Source: source, From: c.from(source, key)})
	}
	return settings
}

// from returns which of the sources of settings one is.
func (c Config) from(source, key string) string {
	if n, ok := strings.CutPrefix(key, "policy."); ok {
		i, err := strconv.Atoi(n)
		if err == nil && i <= len(c.PolicyRules) {
			return c.PolicyRules[i-1].From
		}
	}
	switch {
	case source == "default":
		return "default"
	case source == c.UserFile:
		return "user"
	case source == c.ProjectFile:
		return "project"
	case strings.HasPrefix(source, "--"):
		return "flag"
	case strings.HasPrefix(source, "TOOLCRIB_"):
		return "environment"
	}
	return "system"
}
