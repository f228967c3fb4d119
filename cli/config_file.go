package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/gateway/clients"
	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/store"
)

// readConfig reads a file that is one, and not endless: a pipe would keep
// everybody waiting.
func readConfig(file string) ([]byte, error) {
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

// missing reports whether there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ruleSet returns the rules in force. An error names the file that asks for
// what there is not.
func (c config) ruleSet() (ruleset.Set, error) {
	set, err := ruleset.NewSet(c.Rules)
	if err == nil {
		return set, nil
	}
	for _, id := range slices.Sorted(maps.Keys(c.Rules)) {
		if _, err := ruleset.NewSet(map[string]rules.Severity{id: c.Rules[id]}); err != nil {
			return set, fmt.Errorf("configuration %s: %w", c.sources[keyPath{"rules", id}.String()], err)
		}
	}
	return set, fmt.Errorf("configuration: %w", err)
}

type docSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Source is the flag, the variable or the file that sets it, or "default".
	Source string `json:"source"`
	// From is flag, environment, project, user, system or default.
	From string `json:"from"`
}

type docConfig struct {
	docHead
	Settings []docSetting `json:"settings"`
	// UserFile and ProjectFile are the files that are looked at; the first may be
	// missing, the second is "" where no folder has one.
	UserFile    string   `json:"user_file"`
	ProjectFile string   `json:"project_file,omitempty"`
	Problems    []string `json:"problems"`
}

func newConfig(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and what sets each",
		Long: `Print every setting with its value and what sets it: a flag, an environment
variable, the project's file, your own file, or the default. Secrets in commands
and addresses are masked. No database is opened. Exit status 6: the project's file
sets something that needs your trust (toolcrib trust), so that is not in force.`,
		Example: `  toolcrib config
  toolcrib config --json`,
		RunE: func(*cobra.Command, []string) error { return runConfig(a) },
	}
}

func runConfig(a *app) error {
	c, err := loadConfig(a.env, a.flags.overrides, a.form.accessible)
	if err != nil && c.untrusted == nil {
		return err
	}
	doc := docConfig{
		docHead: head("config"), Settings: c.list(), UserFile: c.userFile, ProjectFile: c.projectFile, Problems: []string{},
	}
	if c.untrusted != nil {
		doc.Problems = append(doc.Problems, sentence(c.untrusted))
	}
	return a.printChecked(doc, len(doc.Problems) == 0, func(p *page) {
		p.list(settingHeader(), mapped(doc.Settings, docSetting.row))
		for _, problem := range doc.Problems {
			p.raw(p.paint(inkBad, "problem") + "   " + safe(problem))
		}
	})
}

func settingHeader() []string { return []string{"SETTING", "VALUE", "FROM"} }

func (s docSetting) row() []string { return []string{s.Key, s.Value, s.Source} }

// settingValues are the values of settings by their keys.
type settingValues map[string]string

// set leaves out a setting that is not there.
func (v settingValues) set(key, value string) {
	if value != "" {
		v[key] = value
	}
}

// list returns every setting with its source.
func (c config) list() []docSetting {
	values := settingValues{
		"db": store.DisplayName(c.DB), "project": c.Project, "workspace": c.Workspace, "chief": c.Chief, "four_eyes": strconv.FormatBool(c.FourEyes),
		"require_expect": strconv.FormatBool(c.RequireExpect), "accessible": strconv.FormatBool(c.Accessible), "max_open_per_agent": itoa(c.MaxOpen),
		"max_open_all_agents": itoa(c.policy().OpenOfAll()), "max_writes_per_agent_hour": itoa(c.MaxWrites),
	}
	for id, severity := range c.Rules {
		values["rules."+id] = string(severity)
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
	values.set("may_act_as", strings.Join(c.MayActAs, " "))
	for action, keys := range c.Keys {
		values[keyPath{"keys", action}.String()] = strings.Join(keys, " ")
	}
	sources := maps.Clone(c.sources)
	c.listPolicies(values, sources)
	c.Checkpoints.list(values)
	c.listSignatures(values)
	c.Notify.list(values)
	c.Serve.list(values)
	c.Gateway.list(values)
	c.Model.list(values)
	for _, r := range c.Reviewers {
		values["reviewers."+r.Name] = r.word(c.Model)
	}
	settings := make([]docSetting, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		source := sources[key]
		if source == "" && strings.HasPrefix(key, "reviewers.") {
			source = sources["reviewers"]
		}
		source = cmp.Or(source, "default")
		settings = append(settings, docSetting{Key: key, Value: values[key], Source: source, From: c.from(source, key)})
	}
	return settings
}

// from returns which of the sources of settings one is.
func (c config) from(source, key string) string {
	if n, ok := strings.CutPrefix(key, "policy."); ok {
		i, err := strconv.Atoi(n)
		if err == nil && i <= len(c.rules) {
			return c.rules[i-1].From
		}
	}
	switch {
	case source == "default":
		return "default"
	case source == c.userFile:
		return "user"
	case source == c.projectFile:
		return "project"
	case strings.HasPrefix(source, "--"):
		return "flag"
	case strings.HasPrefix(source, "TOOLCRIB_"):
		return "environment"
	}
	return "system"
}
