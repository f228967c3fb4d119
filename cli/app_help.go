package cli

import (
	"errors"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/registry/jsondoc"
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

// perhaps names the known word that a wrong one was probably meant to be; ""
// when there is none.
func perhaps(wrong, mark string, known []string) string {
	meant := jsondoc.Closest(wrong, known)
	if meant == "" {
		return ""
	}
	return "; perhaps " + mark + meant + " is meant"
}

// flagError rewrites an error about a flag of c without the words of the library
// that parses flags.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return usagef("%v%s; `%s --help` lists the flags", err, perhaps(unknown.GetSpecifiedName(), "--", known), c.CommandPath())
	case errors.As(err, &invalid):
		why := invalid.Unwrap().Error()
		if strings.HasPrefix(why, "strconv.") || strings.HasPrefix(why, "time: ") {
			why = "it takes " + map[string]string{"bool": "true or false", "int": "a number", "int64": "a number", "duration": "a time such as 15m"}[invalid.GetFlag().Value.Type()]
		}
		return usagef("--%s is %q; %s", invalid.GetFlag().Name, invalid.GetValue(), why)
	}
	return usagef("%v", err)
}

// noArgument returns the hint for a proposal that is named by nothing: most often
// its issue was typed, and the shell took it for a comment.
func noArgument(args []string, what string) string {
	if len(args) > 0 || !strings.Contains(what, "proposal") {
		return ""
	}
	return " (a shell takes #1 for a comment; write 1 or '#1')"
}

// settingNames are the keys of toolcrib.toml outside of its tables.
func settingNames() []string {
	var names []string
	for i := range reflect.TypeFor[config]().NumField() {
		if name := reflect.TypeFor[config]().Field(i).Tag.Get("toml"); name != "" {
			names = append(names, name)
		}
	}
	return names
}
