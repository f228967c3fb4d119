// This file replaces the help command and the error messages of cobra, the command-line library.

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// newHelp returns the help command. Unlike cobra's help command, it rejects unknown commands.
func newHelp() *cobra.Command {
	c := &cobra.Command{
		Use:     "help [COMMAND]",
		GroupID: command.GroupOther,
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
			found.InitDefaultHelpFlag() // adds --help to the flags
			return found.Help()
		},
	}
	command.Describe(c, help)
	return c
}

// describeCompletion adds cobra's completion commands to root and extends their help. It does nothing if cobra provides
// no completion commands.
func describeCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // cobra provides no completion command
	}
	completion.Long = strings.TrimSpace(completion.Long) + "\nThis command only prints the script and does not install it."
	completion.Example = "  toolcrib completion bash > toolcrib.bash\n  toolcrib completion zsh > _toolcrib"
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return process.Usagef("unknown shell %q: use bash, zsh, fish, or powershell", args[0])
		}
		return cmd.Help()
	}
	for _, c := range completion.Commands() {
		if c.Name() == "powershell" {
			c.Aliases = []string{"pwsh"}
		}
		c.Args = command.ExactArgs(0, "no arguments")
		c.Example = "  toolcrib completion " + c.Name()
	}
}

// flagError rewords err, an error of the flag library about a flag of c, and returns it as a usage error.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1:
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		return process.Usagef("%v%s; `%s --help` lists the flags", err, output.DidYouMean(unknown.GetSpecifiedName(), "--", known), c.CommandPath())
	case errors.As(err, &invalid):
		why := invalid.Unwrap().Error()
		if strings.HasPrefix(why, "strconv.") || strings.HasPrefix(why, "time: ") {
			why = "use " + map[string]string{"bool": "true or false", "int": "a number", "int64": "a number", "duration": "a duration such as 15m"}[invalid.GetFlag().Value.Type()]
		}
		return process.Usagef("--%s is %q; %s", invalid.GetFlag().Name, invalid.GetValue(), why)
	}
	return process.Usagef("%v", err)
}

// newcomers returns a map from names of commands in other programs to the corresponding toolcrib commands.
func newcomers() map[string]string {
	const (
		again   = "toolcrib rollback SUBJECT VERSION, which proposes an earlier version again"
		waiting = "toolcrib list --state user_review"
		take    = "toolcrib withdraw ID for a proposal; to take a tool out of use, propose a change of the type deactivate"
		propose = "toolcrib propose FILE"
		find    = "toolcrib tools --filter TEXT, or toolcrib list --filter TEXT for proposals"
		show    = "toolcrib show ID for a proposal, or toolcrib tools ID for a live tool"
		revise  = "toolcrib revise ID FILE for a proposal, or toolcrib propose FILE for a live tool"
		text    = "toolcrib lint FILE for files, or toolcrib check --code FILE for an application"
		ask     = "toolcrib config, which prints the settings and where they are set"
		copies  = "toolcrib backup FILE; to use a copy instead of the database, add --db FILE"
		execute = "toolcrib exec TOOL --agent ID"
		start   = "toolcrib init, and then toolcrib wrap"
		refuse  = "toolcrib reject ID for a proposal, or toolcrib calls refuse ID for a call"
	)
	return map[string]string{
		"pending": waiting, "inbox": waiting, "todo": waiting, "queue": waiting,
		"approved": "toolcrib tools, which lists the live tools, or toolcrib list --state approved", "live": "toolcrib tools",
		"undo": again, "revert": again, "reset": again, "recover": copies, "dump": copies,
		"remove": take, "rm": take, "delete": take, "del": take, "deactivate": take, "disable": take, "cancel": "toolcrib withdraw ID",
		"add": propose, "new": propose, "create": propose, "draft": propose + " --draft", "update": revise, "edit": revise, "modify": revise,
		"search": find, "find": find, "grep": find, "filter": find, "view": show, "cat": show, "get": show, "open": show, "describe": show, "info": show, "inspect": show,
		"scan": text, "validate": text, "audit-code": text, "lock": "toolcrib export --format lock --output toolcrib.lock, and toolcrib check --code FILE --lock toolcrib.lock to compare",
		"accept": "toolcrib approve ID", "merge": "toolcrib approve ID", "allow": "toolcrib approve ID", "yes": "toolcrib approve ID",
		"deny": refuse, "decline": refuse, "refuse": refuse, "no": refuse, "stop": "toolcrib unwrap, which removes the guard from servers",
		"run": execute, "call": execute, "execute": execute, "invoke": execute, "setup": start, "install": start, "protect": start, "start": start,
		"uninstall": "toolcrib unwrap", "settings": ask, "configure": ask, "configuration": ask, "set": ask, "env": ask,
		"test":    "toolcrib review ID --again, which runs the test cases and reports each failure as a finding",
		"compare": "toolcrib diff ID, or toolcrib diff SUBJECT@1..2", "changes": "toolcrib diff ID", "versions": "toolcrib history SUBJECT", "events": "toolcrib log",
		"sync": "toolcrib import --server NAME, or toolcrib watch", "pull": "toolcrib import --server NAME", "fetch": "toolcrib import --server NAME", "refresh": "toolcrib import --server NAME",
		"prompt": "toolcrib preview --agent ID --channel NAME", "render": "toolcrib preview --agent ID --channel NAME", "ui": "toolcrib without a command", "tui": "toolcrib without a command",
		"login": "toolcrib tokens for applications; people are identified by their login, or by --as", "users": "toolcrib signers list", "keys": "toolcrib signers list", "stats": "toolcrib doctor", "clients": "toolcrib status",
	}
}

// unknownWithHelp returns an error if args consist of an unknown command and --help. Otherwise, it returns nil. Without
// this check, cobra would print the help of the root command.
func unknownWithHelp(root *cobra.Command, args []string) error {
	if len(args) != 2 || args[1] != "--help" && args[1] != "-h" || strings.HasPrefix(args[0], "-") || args[0] == "help" || args[0] == "completion" {
		return nil
	}
	if cmd, _, err := root.Find(args[:1]); err != nil || cmd == root {
		return noCommand(root, args[0])
	}
	return nil
}

// noCommand returns the error for an unknown command called name. The error suggests a command only if name is in
// newcomers or clearly resembles the name of a command.
func noCommand(root *cobra.Command, name string) error {
	if meant, ok := newcomers()[name]; ok {
		return process.Usagef("unknown command %q: use %s", name, meant)
	}
	known := lists.Map(root.Commands(), (*cobra.Command).Name)
	hint := ""
	if meant := jsondoc.Closest(name, known); meant != "" && meant[0] == name[0] && len(meant)-len(name) <= 1 && len(name)-len(meant) <= 1 {
		hint = fmt.Sprintf(" (did you mean %s?)", meant)
	}
	return process.Usagef("unknown command %q%s; `toolcrib --help` lists them", name, hint)
}
