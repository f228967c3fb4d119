package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// newHelp replaces the framework's own help, which does not mind a command
// that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show help for a command",
		Long: `Print what a command does, with examples and flags, like COMMAND --help. Without
a command, list all commands by what they are for.`,
		Example: `  toolcrib help propose
  toolcrib help calls approve`,
		GroupID: groupOther,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			names := []string{}
			if found, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, c := range found.Commands() {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(cmd.Root(), args[0])
			}
			found.InitDefaultHelpFlag() // so that it stands among the flags
			return found.Help()
		},
	}
}

// describeCompletion adds the framework's own commands for completion when the
// others are there, and what their help lacks.
func describeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // the framework has none
	}
	completion.Long = strings.TrimSpace(completion.Long) + "\nThe script is printed and nothing is installed."
	completion.Example = "  toolcrib completion bash > toolcrib.bash\n  toolcrib completion zsh > _toolcrib"
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("there is no completion for %q; write bash, zsh, fish or powershell", args[0])
		}
		return cmd.Help()
	}
	for _, c := range completion.Commands() {
		if c.Name() == "powershell" {
			c.Aliases = []string{"pwsh"}
		}
		c.Args = exact(0, "no arguments")
		c.Example = "  toolcrib completion " + c.Name()
	}
}
