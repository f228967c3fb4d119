package cli

import "github.com/spf13/cobra"

// newHelp replaces the framework's own help, which does not mind a command
// that does not exist.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Help about any command",
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
				return noCommand(args[0])
			}
			found.InitDefaultHelpFlag() // so that it stands among the flags
			return found.Help()
		},
	}
}

func noCommand(name string) error {
	return usagef("there is no command %q; `toolcrib --help` lists them", name)
}
