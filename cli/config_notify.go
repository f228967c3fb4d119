package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/cli/notices"
)

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

func (c notifyConfig) list(values map[string]string) {
	if len(c.Command) > 0 {
		values["notify.command"] = strings.Join(c.Command, " ")
	}
	if c.URL != "" {
		values["notify.url"] = c.URL
	}
}
