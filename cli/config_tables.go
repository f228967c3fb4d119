package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"toolcrib/cli/notices"
	"toolcrib/internal/visible"
	"toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/tui"
)

// checkpointsConfig is where checkpoints are published.
type checkpointsConfig struct {
	To      string   `toml:"to"`      // "git:PATH"
	Command []string `toml:"command"` // or a program, which gets the checkpoint on standard input
}

const gitTarget = "git:"

func (c checkpointsConfig) check() error {
	dir, git := strings.CutPrefix(c.To, gitTarget)
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

// name names the target, "" for none.
func (c checkpointsConfig) name() string {
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
		if err := checkEndpoint(c.URL, true); err != nil {
			return fmt.Errorf("configuration: notify %w", err)
		}
	}
	return nil
}

func (c notifyConfig) given() bool { return len(c.Command) > 0 || c.URL != "" }

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

// peers returns the ids of tokens by uid.
func (c serveConfig) peers() map[int]string {
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
func (c *config) checkViews() error {
	for _, name := range c.viewOrder {
		if name == "" || utf8.RuneCountInString(name) > maxViewName || !visible.Clean(name) || strings.ContainsAny(name, "\n\t") {
			return fmt.Errorf("configuration: views.%q is no name of a view; write 1 to %d visible characters", name, maxViewName)
		}
		if _, err := filter.Parse(c.Views[name]); err != nil {
			return fmt.Errorf("configuration: views.%s: %s", name, err.Error()) // not a mistake of the command line
		}
	}
	return nil
}

// views returns the filters of the configuration, as its files list them.
func (c config) views() []tui.View {
	return mapped(c.viewOrder, func(name string) tui.View { return tui.View{Name: name, Filter: c.Views[name]} })
}

// applyView adds the filter of a view to a query.
func (a *app) applyView(q *review.Query, name string) error {
	if name == "" {
		return nil
	}
	c, err := a.settings()
	if err != nil {
		return err
	}
	if view, ok := c.Views[name]; ok {
		q.Filter = filter.Join(view, q.Filter)
		return nil
	}
	if len(c.Views) == 0 {
		return usagef("there is no view %q; name filters in %s, such as [views] and mine = \"author:mara state:open\"", name, c.userFile)
	}
	return usagef("there is no view %q; write %s", name, strings.Join(c.viewOrder, ", "))
}
