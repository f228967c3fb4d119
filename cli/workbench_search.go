package cli

import (
	"fmt"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/settings"
	"toolcrib/tui"
)

// elsewhere lists the commands and the settings, for the search of the workbench.
func elsewhere(a *command.App) []tui.Elsewhere {
	var all []tui.Elsewhere
	for _, c := range a.Program.Root(a).Commands() {
		if c.IsAvailableCommand() {
			all = append(all, tui.Elsewhere{Name: "toolcrib " + c.Name(), Help: c.Short, How: "In a shell: " + c.CommandPath() + ", with -h for its flags"})
		}
	}
	for _, name := range settings.Names() {
		all = append(all, tui.Elsewhere{Name: name, Help: "A setting of " + settings.ConfigName, How: fmt.Sprintf("Set %s in %s; toolcrib config shows what is in force", name, output.ShellWord(a.Config.UserFile))})
	}
	return all
}
