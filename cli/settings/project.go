// This file applies the configuration of a project, which can tighten, but not loosen, the settings that protect the
// user. It also records which project files the user trusts.

package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolcrib/cli/process"
	"toolcrib/internal/atomicfile"
	"toolcrib/internal/lists"
	"toolcrib/internal/owner"
	"toolcrib/registry"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
)

// ErrUntrusted indicates that a project's file contains a setting that requires the user's trust.
var ErrUntrusted = errors.New("not trusted")

// Keys that are always permitted in a project's file, and keys that are never permitted. All other keys require that
// the user trusts the file, because they specify programs to run, models, or the database, or change how reviews work.
var (
	// freely lists the keys that need no trust: keys that do not affect the protection of the user, and keys that a
	// project can only make stricter.
	freely = []string{
		"project", "theme", "accessible", "four_eyes", "require_expect", "max_open_per_agent", "max_writes_per_agent_hour", "rules", "reach", "guard",
	}
	// never lists the keys that a project's file can never contain.
	never = []string{"may_act_as", "commands", "max_open_all_agents", "calls", "checkpoints", "notify", "serve", "follow", "publish", "signatures", "signed_since", "sign_key"}
)

// readProject applies a project's file. Other people and agents may be able to change this file, so it can tighten the
// user's protection, but not loosen it. Some settings require that the user trusts the file. If the user does not trust
// the file, readProject applies only the other settings, and returns an error that wraps ErrUntrusted.
func (c *Config) readProject(env process.Env) error {
	file := c.ProjectFile
	if err := checkOwner(env.Dir, file); err != nil {
		return err
	}
	text, err := ReadConfig(file)
	if err != nil {
		return fmt.Errorf("configuration %s: %w", file, err)
	}
	over := *c
	over.Sources = maps.Clone(c.Sources)
	keys, err := over.Decode(file, FromProject, text)
	if err != nil {
		return err
	}
	var beyond []string // the keys that require trust
	for _, k := range keys {
		switch key := k[0]; {
		case slices.Contains(never, key):
			return fmt.Errorf("configuration %s: %s is not allowed in a project's file, because other people may be able to edit this file; move the key to your own toolcrib.toml", file, key)
		case !slices.Contains(freely, key) && !slices.Contains(beyond, key):
			beyond = append(beyond, key)
		}
	}
	for _, k := range keys {
		over.Sources[k.String()] = file
	}
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
	return fmt.Errorf("configuration %s: %w: to use %s from a project's file, read the file and run `toolcrib trust`", file, ErrUntrusted, strings.Join(beyond, ", "))
}

// tighten compares c with merged, a copy of c to which a project's file was applied. It restores each setting of merged
// that protects the user less than the setting of c.
func (c *Config) tighten(merged *Config) {
	keep := func(key string, loosened bool) bool {
		if loosened {
			merged.Sources[key] = c.Sources[key]
		}
		return loosened
	}
	merged.FourEyes = keep("four_eyes", c.FourEyes) || merged.FourEyes
	merged.RequireExpect = keep("require_expect", c.RequireExpect) || merged.RequireExpect
	if keep("max_open_per_agent", merged.MaxOpen >= c.MaxOpen) {
		merged.MaxOpen = c.MaxOpen
	}
	if keep("max_writes_per_agent_hour", merged.MaxWrites >= c.MaxWrites) {
		merged.MaxWrites = c.MaxWrites
	}
	for name, g := range c.Guard {
		if keep(keyPath{"guard", name, "prompts"}.String(), g.Prompts == ReviewPrompts && !merged.ReviewsTexts(name)) {
			merged.Guard = maps.Clone(merged.Guard)
			merged.Guard[name] = g
		}
	}
	if !slices.Equal(merged.Reach.Allow, c.Reach.Allow) {
		keep("reach.allow", true)
	}
	merged.Reach = fact.Decisions{Allow: c.Reach.Allow, Warn: lists.Union(slices.Clone(c.Reach.Warn), merged.Reach.Warn), Block: lists.Union(slices.Clone(c.Reach.Block), merged.Reach.Block)}
	for id, severity := range merged.Rules {
		before := c.severity(id)
		if before == "" || !slices.Contains([]rules.Severity{rules.Off, rules.Info, rules.Warn, rules.Block}, severity) || severity.Rank() > before.Rank() {
			continue // RuleSet reports unknown rules and severities
		}
		if mine, ok := c.Rules[id]; ok {
			merged.Rules[id] = mine
		} else {
			delete(merged.Rules, id)
		}
		keep(keyPath{"rules", id}.String(), true)
	}
}

// severity returns the severity of the rule with the given id, or "" if the rule is unknown.
func (c *Config) severity(id string) rules.Severity {
	for _, r := range ruleset.All() {
		if r.ID == id {
			return cmp.Or(c.Rules[id], r.Severity)
		}
	}
	return ""
}

// ownerOf returns the account that owns the file or folder with the given name.
func ownerOf(name string) (account int, known bool) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, false
	}
	return owner.Of(info)
}

// checkOwner returns an error if another account created a project's file in a world-writable folder such as /tmp. Such
// a file would apply to everyone who works below this folder. The current account, the administrator, and the owner of
// the working directory dir can create such a file.
func checkOwner(dir, file string) error {
	above, err := os.Stat(filepath.Dir(file))
	if err != nil || above.Mode().Perm()&0o002 == 0 {
		return nil
	}
	whose, known := ownerOf(file)
	here, alsoKnown := ownerOf(dir)
	if !known || !alsoKnown || whose == here || whose == os.Geteuid() || whose == 0 {
		return nil
	}
	return fmt.Errorf("configuration %s: uid %d owns this file, which is in a world-writable directory; remove the file, or run toolcrib in another directory", file, whose)
}

// Trusted records that the user trusts the content of a project's file. Each record is a file in the user's state
// folder, outside of every project. The name of the record depends on the path and the content of the project's file,
// so the trust ends when the project's file changes.
type Trusted struct {
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"` // SHA-256 of the content
	At     time.Time `json:"at"`
}

// ErrNoTrust indicates that the trust command found no project file.
var ErrNoTrust = errors.New("nothing to trust")

func trustFolder(env process.Env) (string, error) {
	state, err := process.StateHome(env)
	return filepath.Join(state, "toolcrib", "trusted"), err
}

// TrustMark returns the path and the content of the record (see Trusted) for a configuration file with the given
// content. The content does not contain the time. The record does not exist if the user does not trust the file.
func TrustMark(env process.Env, file string, text []byte) (mark string, t Trusted, err error) {
	dir, err := trustFolder(env)
	if err != nil {
		return "", t, err
	}
	if t.File, err = filepath.EvalSymlinks(file); err != nil {
		return "", t, err
	}
	t.SHA256 = registry.HashBytes(text)
	return filepath.Join(dir, registry.HashBytes([]byte(t.File+"\x00"+t.SHA256))), t, nil
}

// isTrusted reports whether the user trusts a configuration file with the given content. It ignores a record that other
// accounts can write.
func isTrusted(env process.Env, file string, text []byte) (bool, error) {
	mark, _, err := TrustMark(env, file, text)
	if err != nil {
		return false, err
	}
	info, err := os.Lstat(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o022 == 0, err
}

// ProjectName returns the project that the toolcrib.toml in dir specifies, and whether the user trusts this file. The
// name is "" if the file does not exist or specifies no project.
func ProjectName(env process.Env, dir string) (name string, trusted bool, err error) {
	file := filepath.Join(dir, ConfigName)
	text, err := ReadConfig(file)
	if Missing(err) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("configuration %s: %w", file, err)
	}
	var c Config
	if _, err := c.Decode(file, FromProject, text); err != nil {
		return "", false, err
	}
	trusted, err = isTrusted(env, file, text)
	return c.Project, trusted, err
}

// Trust records that the user trusts a configuration file with the given content.
func Trust(env process.Env, file string, text []byte) (Trusted, error) {
	mark, t, err := TrustMark(env, file, text)
	if err != nil {
		return t, err
	}
	t.At = env.Now().UTC().Truncate(time.Second)
	return t, atomicfile.WriteJSON(mark, t)
}

// Untrust removes all trust records for file, including those for earlier contents of the file.
func Untrust(env process.Env, file string) error {
	list, marks, err := ReadTrusted(env)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // the file may have been deleted
		file = real
	}
	for i, t := range list {
		if t.File == file {
			err = errors.Join(err, os.Remove(marks[i]))
		}
	}
	return err
}

// ReadTrusted returns the trusted files in sorted order, and the paths of their records.
func ReadTrusted(env process.Env) (list []Trusted, marks []string, err error) {
	dir, err := trustFolder(env)
	if err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	found := map[string]Trusted{}
	for _, e := range entries {
		var t Trusted
		mark := filepath.Join(dir, e.Name())
		body, err := os.ReadFile(mark)
		if err != nil || json.Unmarshal(body, &t) != nil {
			return nil, nil, fmt.Errorf("invalid record of trust: %s; remove this file", mark)
		}
		found[mark] = t
		marks = append(marks, mark)
	}
	slices.SortFunc(marks, func(a, b string) int { return strings.Compare(found[a].File+a, found[b].File+b) })
	return lists.Map(marks, func(mark string) Trusted { return found[mark] }), marks, nil
}
