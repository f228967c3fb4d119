package workbench_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"toolcrib/cli"
	"toolcrib/cli/command"
	"toolcrib/cli/workbench"
)

// TestDialogueKnowsEveryCommand fails if a command that uses a proposal or makes a decision is added or renamed and the
// accessible workbench does not know it.
func TestDialogueKnowsEveryCommand(t *testing.T) {
	// The program itself, which is like approve, and settings of the user.
	undecided := []string{"", "calls policy", "signers add", "signers record", "signers remove"}
	seen := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
		seen[name] = true
		argument := strings.TrimPrefix(c.Use, c.Name()+" ")
		if _, known := workbench.BesideID[name]; !known && c.GroupID == command.GroupProposals && (strings.HasPrefix(argument, "ID") || strings.HasPrefix(argument, "[ID")) {
			t.Errorf("%s takes an id; put it into besideID", name)
		}
		if _, known := workbench.Confirmed[name]; !known && c.Flags().Lookup("print-statement") != nil && !slices.Contains(undecided, name) {
			t.Errorf("%s decides; put it into confirmed", name)
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(cli.Commands())
	for _, name := range slices.Concat(slices.Collect(maps.Keys(workbench.BesideID)), slices.Collect(maps.Keys(workbench.Confirmed)), workbench.Endless) {
		if !seen[name] {
			t.Errorf("there is no command %s", name)
		}
	}
}
