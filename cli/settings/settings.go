// Package settings reads the configuration: the toolcrib.toml files, environment variables, and flags.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/reach/fact"
	"toolcrib/review/rules"
	"toolcrib/signing/signers"
	"toolcrib/store"
)

// Names returns the settings and tables of toolcrib.toml in alphabetical order.
func Names() []string {
	var names []string
	for i := range reflect.TypeFor[Config]().NumField() {
		if name := reflect.TypeFor[Config]().Field(i).Tag.Get("toml"); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ConfigName is the name of a configuration file.
const ConfigName = "toolcrib.toml"

// Config contains the current settings. Flags take precedence over environment variables, then follow the project's
// file, the user's file, and the defaults. A project's file can tighten, but not loosen, the settings that protect the
// user.
type Config struct {
	DB            string                    `toml:"db"`
	Project       string                    `toml:"project"`
	Workspace     string                    `toml:"workspace"`
	Chief         string                    `toml:"chief"` // "builtin" or "manual"
	FourEyes      bool                      `toml:"four_eyes"`
	RequireExpect bool                      `toml:"require_expect"`
	MaxOpen       int                       `toml:"max_open_per_agent"`
	MaxOpenAll    int                       `toml:"max_open_all_agents"`
	MaxWrites     int                       `toml:"max_writes_per_agent_hour"` // drafts, revisions, and comments
	Rules         map[string]rules.Severity `toml:"rules"`
	Reach         fact.Decisions            `toml:"reach"`      // patterns of facts
	Theme         string                    `toml:"theme"`      // "dark", "light" or "high-contrast"; "" asks the terminal
	Accessible    bool                      `toml:"accessible"` // whether the workbench is a dialogue in plain text
	Keys          map[string][]string       `toml:"keys"`       // keys of the workbench; docs/keys.md lists the names
	Views         map[string]string         `toml:"views"`      // filters of the queue, by name
	Commands      map[string][]string       `toml:"commands"`   // programs that the workbench runs on the selection, by name
	Servers       map[string]ServerConfig   `toml:"servers"`
	Guard         map[string]guardConfig    `toml:"guard"` // by name of the guarded server
	Gateway       gatewayConfig             `toml:"gateway"`
	Model         ModelConfig               `toml:"model"`
	Reviewers     []reviewerConfig          `toml:"reviewers"`
	MayActAs      []string                  `toml:"may_act_as"` // other users as which the account may act
	Calls         callsConfig               `toml:"calls"`
	Checkpoints   checkpointsConfig         `toml:"checkpoints"`
	Notify        notifyConfig              `toml:"notify"`
	Follow        FollowConfig              `toml:"follow"`
	Publish       PublishConfig             `toml:"publish"`
	Serve         serveConfig               `toml:"serve"`
	Signatures    string                    `toml:"signatures"`   // "required" or "off"
	SignedSince   string                    `toml:"signed_since"` // hash of the event that started signing
	SignKey       string                    `toml:"sign_key"`     // file of the signing key; "" selects the first key of the SSH agent that may sign
	Policies      []policyConfig            `toml:"policy"`       // entries of the file that is being decoded

	// PolicyRules contains the [[policy]] entries of all files.
	PolicyRules []PolicyRule
	Signers     *signers.File
	// SignAlways requires signed decisions even if signing has not started.
	SignAlways bool

	// Layer is the layer of the project, or the layer of the user if no project is set.
	Layer registry.Layer
	// Sources maps each setting to the file or flag that set it.
	Sources map[string]string
	// ViewOrder lists the names of the views in the order of the files.
	ViewOrder []string
	// UserFile is the path of the user's file, which may not exist.
	UserFile string
	// ProjectFile is the path of the nearest toolcrib.toml that is not the user's file.
	ProjectFile string
	// Untrusted is an error that lists the keys in the project's file that were ignored, because they require the
	// user's trust. It is nil if there are none.
	Untrusted error
	// DefaultDB is true if no flag, environment variable, or file specifies the database.
	DefaultDB bool
}

// Policy returns the policy of the review service, without the model and the reviewers.
func (c Config) Policy() review.Policy {
	origins := map[string]string{} // kinds of the sources, because decisions must not record paths on this machine
	for key, source := range c.Sources {
		if source != "" {
			origins[key] = c.kindOf(source)
		}
	}
	return review.Policy{
		ManualChief: c.Chief == "manual", FourEyes: c.FourEyes, RequireExpect: c.RequireExpect,
		MaxOpen: c.MaxOpen, MaxOpenAll: c.MaxOpenAll, MaxWrites: c.MaxWrites, Severities: c.Rules, Reach: c.Reach, Origins: origins,
		Signatures: c.SignaturePolicy(), Approvals: c.Approvals(),
	}
}

// Overrides contains the global flags that override settings.
type Overrides struct {
	DB, Project, Workspace string
	// UserOnly specifies that project files are ignored.
	UserOnly bool
}

// LoadConfig reads the files and applies the environment variables and flags. The project's file is the nearest
// toolcrib.toml in the working directory or above it.
func LoadConfig(env process.Env, flags Overrides, accessible bool) (Config, error) {
	c := Config{Chief: "builtin", MaxOpen: review.DefaultMaxOpen, MaxWrites: review.DefaultMaxWrites, Sources: map[string]string{}}
	home, err := process.ConfigHome(env)
	if err != nil {
		return c, err
	}
	c.UserFile = filepath.Join(home, "toolcrib", ConfigName)
	text, err := ReadConfig(c.UserFile)
	if err == nil {
		keys, err := c.Decode(c.UserFile, fromUser, text)
		if err != nil {
			return c, err
		}
		for _, k := range keys {
			c.Sources[k.String()] = c.UserFile
		}
	} else if !Missing(err) {
		return c, fmt.Errorf("configuration %s: %w", c.UserFile, err)
	}
	if err := c.requireSignatures(env); err != nil {
		return c, err
	}
	if projectFile := FindUp(env.Dir, ConfigName); projectFile != "" && !flags.UserOnly && !SameFile(projectFile, c.UserFile) {
		c.ProjectFile = projectFile
		if err := c.readProject(env); err != nil && !errors.Is(err, ErrUntrusted) {
			return c, err
		} else if err != nil {
			c.Untrusted = err
		}
	}
	override := func(dst *string, key, value, source string) {
		if value != "" {
			*dst, c.Sources[key] = value, source
		}
	}
	override(&c.DB, "db", DatabaseName(env.Dir, env.Getenv("TOOLCRIB_DB")), "TOOLCRIB_DB")
	override(&c.Project, "project", env.Getenv("TOOLCRIB_PROJECT"), "TOOLCRIB_PROJECT")
	override(&c.Workspace, "workspace", Absolute(env.Dir, env.Getenv("TOOLCRIB_WORKSPACE")), "TOOLCRIB_WORKSPACE")
	override(&c.DB, "db", DatabaseName(env.Dir, flags.DB), "--db")
	override(&c.Project, "project", flags.Project, "--project")
	override(&c.Workspace, "workspace", Absolute(env.Dir, flags.Workspace), "--workspace")
	if err := c.chooseAccessible(env, accessible); err != nil {
		return c, err
	}
	if c.DB == "" {
		if home, err = process.DataHome(env); err != nil {
			return c, err
		}
		c.DB, c.DefaultDB = filepath.Join(home, "toolcrib", "toolcrib.db"), true
	}
	if err := c.check(); err != nil {
		return c, err
	}
	if c, err = c.WithProject(c.Project); err != nil {
		return c, err
	}
	return c, c.Untrusted
}

// WithProject returns a copy of c with another project, or without a project if name is "".
func (c Config) WithProject(name string) (_ Config, err error) {
	c.Project, c.Layer = name, registry.LayerUser
	if name != "" {
		c.Layer, err = registry.ParseLayer(string(registry.ProjectLayer(name)))
	}
	return c, err
}

// chooseAccessible sets c.Accessible according to the --accessible flag or, if the flag is not set, according to the
// environment variable TOOLCRIB_ACCESSIBLE.
func (c *Config) chooseAccessible(env process.Env, flag bool) error {
	const variable = "TOOLCRIB_ACCESSIBLE"
	if flag {
		c.Accessible, c.Sources["accessible"] = true, "--accessible"
		return nil
	}
	switch value := env.Getenv(variable); strings.ToLower(value) {
	case "":
		return nil
	case "1", "true", "yes", "on":
		c.Accessible = true
	case "0", "false", "no", "off":
		c.Accessible = false
	default:
		return process.Usagef("%s is %q: use yes or no", variable, value)
	}
	c.Sources["accessible"] = variable
	return nil
}

// Decode applies the configuration in text to c, and returns the keys in text. file is the path of the configuration
// file. Relative paths in the configuration are relative to the folder of this file. origin is fromUser, FromProject,
// or fromSystem.
func (c *Config) Decode(file, origin string, text []byte) (configKeys, error) {
	c.Policies = nil // policies of several files are combined
	keys, unknown, err := DecodeConfig(text, c)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", file, err)
	}
	if len(unknown) > 0 {
		names, hint := make([]string, len(unknown)), "; `toolcrib schema toolcrib.toml` lists all keys"
		for i, k := range unknown {
			meant := output.DidYouMean(k.String(), "", Names())
			if names[i] = k.String() + meant; meant != "" {
				hint = ""
			}
		}
		return nil, fmt.Errorf("configuration %s: unknown key %s%s", file, strings.Join(names, ", "), hint)
	}
	if err := c.readPolicies(file, origin, text); err != nil {
		return nil, err
	}
	for _, k := range keys {
		if len(k) == 2 && k[0] == "views" && !slices.Contains(c.ViewOrder, k[1]) {
			c.ViewOrder = append(slices.Clone(c.ViewOrder), k[1])
		}
	}
	c.dropSecrets(keys)
	dir := filepath.Dir(file)
	for _, path := range []struct {
		key   []string
		value *string
		from  func(dir, name string) string
	}{
		{[]string{"sign_key"}, &c.SignKey, Absolute},
		{[]string{"db"}, &c.DB, DatabaseName},
		{[]string{"checkpoints", "to"}, &c.Checkpoints.To, FollowAddress},
		{[]string{"follow", "source"}, &c.Follow.Source, FollowAddress},
		{[]string{"follow", "signers"}, &c.Follow.Signers, Absolute},
		{[]string{"publish", "to"}, &c.Publish.To, FollowAddress},
		{[]string{"workspace"}, &c.Workspace, Absolute},
	} {
		if keys.has(path.key...) {
			*path.value = path.from(dir, *path.value)
		}
	}
	return keys, nil
}

// dropSecrets ensures that a secret is only sent to the address for which it was configured. keys contains the keys of
// a file that was applied to c. If the file sets an address, but not the secret for this address, dropSecrets clears
// the secret.
func (c *Config) dropSecrets(keys configKeys) {
	if keys.has("gateway", "gate_url") && !keys.has("gateway", "gate_token_env") {
		c.Gateway.GateTokenEnv = ""
	}
	if !keys.has("model", "base_url") {
		return
	}
	if !keys.has("model", "api_key_env") {
		c.Model.APIKeyEnv = ""
	}
	if !keys.has("reviewers") {
		c.Reviewers = slices.Clone(c.Reviewers)
		for i := range c.Reviewers {
			if c.Reviewers[i].BaseURL == "" { // the reviewer uses the address of the model
				c.Reviewers[i].APIKeyEnv = ""
			}
		}
	}
}

func (c *Config) check() error {
	_, invalidProject := registry.ParseLayer(string(registry.ProjectLayer(c.Project)))
	switch {
	case c.Theme != "" && !slices.Contains(themes, c.Theme):
		return fmt.Errorf("configuration: theme is %q: use %s", c.Theme, strings.Join(themes, ", "))
	case c.Chief != "builtin" && c.Chief != "manual":
		return fmt.Errorf("configuration: chief is %q: use builtin or manual", c.Chief)
	case c.MaxOpen < 1:
		return fmt.Errorf("configuration: max_open_per_agent must be at least 1 (got %d)", c.MaxOpen)
	case c.MaxOpenAll < 0, c.MaxOpenAll == 0 && c.Sources["max_open_all_agents"] != "":
		return fmt.Errorf("configuration: max_open_all_agents must be at least 1 (got %d)", c.MaxOpenAll)
	case c.MaxWrites < 1:
		return fmt.Errorf("configuration: max_writes_per_agent_hour must be at least 1 (got %d)", c.MaxWrites)
	case strings.HasSuffix(c.Sources["project"], ConfigName) && invalidProject != nil: // an invalid name from other sources is a usage error
		return fmt.Errorf("configuration: project is %q: use a name of letters, digits, \"_\", \".\", and \"-\"", c.Project)
	case slices.ContainsFunc(c.MayActAs, process.NotUser):
		return fmt.Errorf("configuration: may_act_as is %q: list users such as [\"user:mara\"]", c.MayActAs)
	case c.Workspace != "" && c.Project == "":
		return errors.New("configuration: workspace needs a project; set the project with --project or project = \"NAME\"")
	}
	return errors.Join(c.checkServers(), c.Gateway.check(), c.Calls.check(), c.checkReviewers(), c.Checkpoints.check(), c.Notify.check(), c.Serve.check(), c.checkViews(), c.checkCommands(), c.checkSignatures(), c.Follow.check(), c.Publish.check())
}

// Absolute returns name if it is an absolute path or "". Otherwise, it returns the path of name relative to dir.
func Absolute(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// DatabaseName is like Absolute, but returns a URL unchanged.
func DatabaseName(dir, name string) string {
	if store.IsURL(name) {
		return name
	}
	return Absolute(dir, name)
}

// SameFile reports whether two names refer to the same file.
func SameFile(a, b string) bool {
	if a == b {
		return true
	}
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// FindUp searches dir and its parent folders for a file with the given name, and returns the path of the first file
// found. It returns "" if no folder contains such a file.
func FindUp(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil { // reading anything other than a regular file will return an error
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// Missing reports whether err indicates that a file does not exist.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

var themes = []string{"dark", "light", "high-contrast"}
