package cli

import (
	"testing"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
)

// TestColour checks the conventions of NO_COLOR and CLICOLOR.
func TestColour(t *testing.T) {
	for _, tt := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"CLICOLOR": "0"}, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{false, map[string]string{"FORCE_COLOR": "1"}, true},
		{false, map[string]string{"FORCE_COLOR": "0"}, false},
		{true, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
	} {
		a := &command.App{Printer: &output.Printer{Env: process.Env{OutTerminal: tt.terminal, Getenv: func(key string) string { return tt.env[key] }}}}
		if a.Colour() != tt.want {
			t.Errorf("terminal %v, %v: colours %v", tt.terminal, tt.env, a.Colour())
		}
	}
}
