package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/cli/process"
	"toolcrib/internal/owner"
	"toolcrib/review/approval"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// ErrUntrusted is wrapped when a project's file has a setting that counts only
// after `toolcrib trust`.
var ErrUntrusted = errors.New("not trusted")

// What the keys of a project's file need. All others need the user's trust of
// the file: they name programs to run, models to ask, the database, or how the
// desk works.
var (
	// freely are keys that protect nobody, or can only tighten.
	freely = []string{
		"project", "theme", "accessible", "four_eyes", "require_expect", "max_open_per_agent", "max_writes_per_agent_hour", "rules", "reach", "guard",
	}
	// never are keys of the user's own file alone, however trusted another is.
	never = []string{"may_act_as", "max_open_all_agents", "checkpoints", "notify", "serve", "follow", "publish", "signatures", "signed_since", "sign_key"}
)

// readProject lays a project's file over what the user's own has said. Others,
// and agents, may be able to write that file: it can tighten what protects the
// user and never loosen it, and what else it says needs the user's trust. The
// error wraps errUntrusted when that is missing; the rest is in force then.
func (c *Config) readProject(env process.Env) error {
	file := c.ProjectFile
	if err := planted(env.Dir, file); err != nil {
		return err
	}
	text, err := ReadConfig(file)
	if err != nil {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	over := *c
	over.Sources = maps.Clone(c.Sources)
	keys, err := over.Decode(file, text)
	if err != nil {
		return err
	}
	beyond, err := beyondFree(file, keys)
	if err != nil {
		return err
	}
	for _, k := range keys {
		over.Sources[k.String()] = file
	}
	over.setOrigin(approval.FromProject, len(c.PolicyRules))
	c.tighten(&over)
	trusted := len(beyond) == 0
	if !trusted {
		if trusted, err = isTrusted(env, file, text); err != nil {
			return err
		}
	}
	if trusted {
		*c = over
		return nil
	}
	c.FourEyes, c.RequireExpect, c.MaxOpen, c.MaxWrites, c.Rules, c.Reach, c.Guard = over.FourEyes, over.RequireExpect, over.MaxOpen, over.MaxWrites, over.Rules, over.Reach, over.Guard
	c.Project, c.Theme, c.Accessible = over.Project, over.Theme, over.Accessible
	for key, source := range over.Sources {
		if table, _, _ := strings.Cut(key, "."); slices.Contains(freely, table) {
			c.Sources[key] = source
		}
	}
	return fmt.Errorf("configuration %s: %w: %s in a project's file needs your trust; look at it and run `toolcrib trust`", file, ErrUntrusted, strings.Join(beyond, ", "))
}

// beyondFree returns the keys that need trust.
func beyondFree(file string, keys configKeys) ([]string, error) {
	var beyond []string
	for _, k := range keys {
		switch key := k[0]; {
		case slices.Contains(never, key):
			return nil, fmt.Errorf("configuration %s: %s is allowed in the user's own file only, because others may edit a project's file; move it to your own toolcrib.toml", file, key)
		case !slices.Contains(freely, key) && !slices.Contains(beyond, key):
			beyond = append(beyond, key)
		}
	}
	return beyond, nil
}

// tighten puts back into over, which a project's file was laid over, what the
// file would loosen of c.
func (c *Config) tighten(over *Config) {
	keep := func(key string, loosened bool) bool {
		if loosened {
			over.Sources[key] = c.Sources[key]
		}
		return loosened
	}
	if keep("four_eyes", c.FourEyes) {
		over.FourEyes = true
	}
	if keep("require_expect", c.RequireExpect) {
		over.RequireExpect = true
	}
	if keep("max_open_per_agent", over.MaxOpen >= c.MaxOpen) {
		over.MaxOpen = c.MaxOpen
	}
	if keep("max_writes_per_agent_hour", over.MaxWrites >= c.MaxWrites) {
		over.MaxWrites = c.MaxWrites
	}
	for name, g := range c.Guard {
		if keep(keyPath{"guard", name, "prompts"}.String(), g.Prompts == ReviewPrompts && !over.ReviewsTexts(name)) {
			guards := map[string]guardConfig{}
			maps.Copy(guards, over.Guard)
			guards[name] = g
			over.Guard = guards
		}
	}
	if !slices.Equal(over.Reach.Allow, c.Reach.Allow) {
		keep("reach.allow", true)
	}
	over.Reach = fact.Decisions{Allow: c.Reach.Allow, Warn: union(c.Reach.Warn, over.Reach.Warn), Block: union(c.Reach.Block, over.Reach.Block)}
	for id, severity := range over.Rules {
		before := c.severity(id)
		if before == "" || !slices.Contains([]rules.Severity{rules.Off, rules.Info, rules.Warn, rules.Block}, severity) || severity.Rank() > before.Rank() {
			continue // not a rule or no severity is an error, which names the file
		}
		if mine, ok := c.Rules[id]; ok {
			over.Rules[id] = mine
		} else {
			delete(over.Rules, id)
		}
		keep(keyPath{"rules", id}.String(), true)
	}
}

// union returns a with those of b that it lacks.
func union(a, b []string) []string {
	return append(slices.Clone(a), slices.DeleteFunc(slices.Clone(b), func(s string) bool { return slices.Contains(a, s) })...)
}

// severity returns the severity of a rule; "" when there is no such rule.
func (c *Config) severity(id string) rules.Severity {
	for _, r := range ruleset.All() {
		if r.ID == id {
			return cmp.Or(c.Rules[id], r.Severity)
		}
	}
	return ""
}

// ownerOf returns the account that a file or folder belongs to.
func ownerOf(name string) (account int, known bool) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	return owner.Of(info)
}

// planted returns an error for a project's file that another account has put into
// a world-writable folder above the working directory, such as /tmp: it would
// choose the database of everybody who works below. The owner of the working
// directory and the administrator may do so.
func planted(dir, file string) error {
	above, err := os.Stat(filepath.Dir(file))
	if err != nil || above.Mode().Perm()&0o002 == 0 {
		return nil
	}
	whose, known := ownerOf(file)
	here, alsoKnown := ownerOf(dir)
	if !known || !alsoKnown || whose == here || whose == os.Geteuid() || whose == 0 {
		return nil
	}
	return fmt.Errorf("configuration %s: it is owned by uid %d in a world-writable directory; remove it or run from another directory", file, whose)
}
