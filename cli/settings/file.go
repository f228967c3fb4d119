// This file reads configuration files, and derives the review service, the user, and the list of settings from them.

package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/clients"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/chief"
	"toolcrib/review/harness"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/review/service"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// Desk returns the review service for the database db, with the configuration c.
func (c Config) Desk(db review.Store, env process.Env) (*service.Desk, error) {
	return c.DeskOf(db, env, nil)
}

// DeskOf is like Desk. If override is not nil, the review service uses override instead of the signers file.
func (c Config) DeskOf(db review.Store, env process.Env, override *signers.Signers) (*service.Desk, error) {
	policy := c.Policy()
	if c.Model != (ModelConfig{}) {
		policy.Model = connection(sync.OnceValues(func() (harness.Model, error) { return c.Model.client(env) }))
	}
	for _, r := range c.Reviewers {
		if len(r.Command) > 0 {
			policy.Consultants = append(policy.Consultants, chief.Command{Label: r.Name, Args: r.Command, Dir: env.Dir, Timeout: parseLength(r.Timeout)})
		} else {
			policy.Consultants = append(policy.Consultants, chief.Model{Label: r.Name, Connect: func() (harness.Model, error) { return r.withDefaults(c.Model).client(env) }})
		}
	}
	if override != nil {
		policy.Signatures.Signers = func() (*signers.Signers, error) { return override, nil }
	}
	desk, err := service.New(db, policy, env.Now, env.NewID)
	if err != nil {
		_, named := c.RuleSet()
		return nil, cmp.Or(named, err)
	}
	return desk, nil
}

// RulesVersion returns an identifier of the current rules and policy. It does not need a database.
func (c Config) RulesVersion(env process.Env) (string, error) {
	desk, err := c.Desk(nil, env)
	if err != nil {
		return "", err
	}
	return desk.RulesVersion(), nil
}

// Principal returns the default actor: the user or agent that the database server authenticates or, without such a
// server, the user of the account.
func (c Config) Principal(env process.Env) proposals.Actor {
	if login, err := store.Login(c.DB); err == nil && login != "" { // opening the database reports the error
		if actor, err := proposals.ParseActor(login); err == nil && (actor.Kind == proposals.User || actor.Kind == proposals.Agent) {
			return actor
		}
	}
	return proposals.Actor{Kind: proposals.User, Name: process.LoginName(env)}
}

// User returns the name of the user for whom commands act by default.
func (c Config) User(env process.Env) string {
	if actor := c.Principal(env); actor.Kind == proposals.User {
		return actor.Name
	}
	return process.LoginName(env)
}

// Users returns the names that the account may use with --as: the default user, followed by the users in the setting
// may_act_as.
func (c Config) Users(env process.Env) []string {
	return append([]string{proposals.Actor{Kind: proposals.User, Name: c.User(env)}.String()}, c.MayActAs...)
}

// ReadConfig reads a configuration file. It returns an error for a file that is too large, and for a pipe or a device,
// because reading it may never end.
func ReadConfig(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("the path is a folder, not a file")
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: the file is not a regular file", errConfigShape)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(text) > maxConfig {
		err = fmt.Errorf("%w: the file is larger than %d KiB", errConfigShape, maxConfig>>10)
	}
	return text, err
}

// RuleSet returns the configured rules. If an entry is invalid, the error names the file with this entry.
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

// Setting is a setting with its current value and the source of this value.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Source is the flag, the environment variable, or the file that sets the value, or "default".
	Source string `json:"source"`
	// From is flag, environment, project, user, system, or default.
	From string `json:"from"`
}

func (s Setting) Row() []string { return []string{s.Key, s.Value, s.Source} }

// settingValues contains the values of settings by key.
type settingValues map[string]string

// add adds a value with the given key. For a table, it adds the values in the table. It omits empty values, and values
// that a configuration file cannot set.
func (v settingValues) add(key keyPath, of reflect.Value) {
	below := func(name string) keyPath { return append(slices.Clone(key), name) }
	switch {
	case of.IsZero():
	case of.Kind() == reflect.Struct:
		for i := range of.NumField() {
			if name := of.Type().Field(i).Tag.Get("toml"); name != "" {
				v.add(below(name), of.Field(i))
			}
		}
	case of.Kind() == reflect.Map:
		for entries := of.MapRange(); entries.Next(); {
			v.add(below(entries.Key().String()), entries.Value())
		}
	case of.Kind() == reflect.Slice:
		words := make([]string, of.Len())
		for i := range words {
			words[i] = of.Index(i).String()
		}
		v[key.String()] = strings.Join(words, " ")
	default:
		v[key.String()] = fmt.Sprint(reflect.Indirect(of))
	}
}

// maskedCommand formats a program and its arguments, and masks arguments that may be secrets.
func maskedCommand(words []string) string {
	return strings.Join(append(words[:1:1], clients.Server{Args: words[1:]}.Masked().Args...), " ")
}

// List returns all settings with their sources.
func (c Config) List() []Setting {
	others := c
	others.Servers, others.Model, others.Reviewers, others.Policies, others.Commands = nil, ModelConfig{}, nil, nil, nil
	values := settingValues{
		"db": "", "project": "", "workspace": "", "four_eyes": "false", "require_expect": "false", "accessible": "false", "signatures": signaturesOff,
		"max_open_all_agents": output.Itoa(c.Policy().OpenOfAll()), "guard." + noticeKey: strconv.FormatBool(c.Notices()), "model": "not connected",
	}
	values.add(nil, reflect.ValueOf(others))
	values["db"] = store.DisplayName(c.DB)
	if c.Model != (ModelConfig{}) {
		values["model"] = c.Model.Name + " at " + c.Model.BaseURL
	}
	for name, server := range c.Servers {
		if key := "servers." + name; server.URL != "" {
			values[key] = clients.Server{URL: server.URL}.Masked().URL
		} else if len(server.Command) > 0 {
			values[key] = maskedCommand(server.Command)
		}
	}
	for name, words := range c.Commands {
		values[keyPath{"commands", name}.String()] = maskedCommand(words)
	}
	sources, from := maps.Clone(c.Sources), map[string]string{}
	for i, r := range c.PolicyRules {
		key := keyPath{"policy", output.Itoa(i + 1)}.String()
		values[key], sources[key], from[key] = r.String(), r.Place, r.From
	}
	for _, r := range c.Reviewers {
		if m := r.withDefaults(c.Model); len(r.Command) == 0 {
			values["reviewers."+r.Name] = m.Name + " at " + m.BaseURL
		} else {
			values["reviewers."+r.Name] = maskedCommand(r.Command)
		}
	}
	settings := make([]Setting, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		source := sources[key]
		if source == "" && strings.HasPrefix(key, "reviewers.") {
			source = sources["reviewers"]
		}
		settings = append(settings, Setting{Key: key, Value: values[key], Source: cmp.Or(source, "default"), From: cmp.Or(from[key], c.kindOf(source), "default")})
	}
	return settings
}
