package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
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

func (c checkpointsConfig) list(values map[string]string) {
	if c.To != "" {
		values["checkpoints.to"] = c.To
	}
	if len(c.Command) > 0 {
		values["checkpoints.command"] = c.name()
	}
}
