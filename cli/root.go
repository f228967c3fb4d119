package cli

import (
	"context"
	"embed"
	"reflect"

	"github.com/spf13/cobra"

	"toolcrib/cli/calls"
	"toolcrib/cli/catalog"
	"toolcrib/cli/check"
	"toolcrib/cli/command"
	"toolcrib/cli/config"
	"toolcrib/cli/database"
	"toolcrib/cli/demo"
	"toolcrib/cli/export"
	"toolcrib/cli/files"
	"toolcrib/cli/imports"
	"toolcrib/cli/lint"
	"toolcrib/cli/preview"
	"toolcrib/cli/process"
	"toolcrib/cli/proposal"
	"toolcrib/cli/server"
	"toolcrib/cli/setup"
	"toolcrib/cli/share"
	"toolcrib/cli/sign"
	"toolcrib/cli/verify"
	"toolcrib/cli/workbench"
	"toolcrib/cli/wrap"
)

//go:embed help
var help embed.FS

// families is the table of commands, by the folder that they are in.
func families() []command.Family {
	return []command.Family{
		proposal.Family(), preview.Family(),
		catalog.Family(), verify.Family(), export.Family(), database.Family(), files.Family(), check.Family(), share.Family(),
		setup.Family(), imports.Family(), wrap.Family(),
		calls.Family(), server.Family(),
		lint.Family(), config.Family(), sign.Family(), demo.Family(),
		own(),
	}
}

// own returns the commands of this package.
func own() command.Family {
	return command.Family{
		Help: help,
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newSchema},
			{Group: command.GroupOther, New: newVersion},
		},
		Documents: ownDocuments,
	}
}

// ownDocuments returns the documents that the commands of this package print.
func ownDocuments() map[string]reflect.Type {
	return map[string]reflect.Type{
		"error":       reflect.TypeFor[command.Failure](),
		"schema":      reflect.TypeFor[docSchema](),
		"schema.list": reflect.TypeFor[docSchemaList](),
		"version":     reflect.TypeFor[docVersionInfo](),
	}
}

func newRoot(a *command.App) *cobra.Command {
	var approve, version bool
	decision := &proposal.DecideFlags{}
	a.PublishRegistry = func(ctx context.Context) error { return share.Publish(ctx, a) }
	root := &cobra.Command{
		Use:           "toolcrib [--approve ID…]",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case version && len(args) == 0 && !approve:
				return runVersion(a)
			case version:
				return process.Usagef("--version takes no arguments")
			case approve:
				return proposal.RunApprove(cmd.Context(), a, args, decision)
			case len(args) > 0:
				return noCommand(cmd, args[0])
			}
			return workbench.Run(cmd, a)
		},
	}
	command.Describe(root, help)
	root.Flags().BoolVar(&approve, "approve", false, "approve the proposals named by the arguments, - for standard input")
	root.Flags().BoolVarP(&version, "version", "v", false, "print the versions of toolcrib and its rules")
	decision.RegisterApproval(root.Flags())
	a.Register(root.PersistentFlags())
	root.SetOut(a.Env.Out) // now: the commands for completion keep it
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID(command.GroupOther)
	defer describeCompletion(root)
	root.AddGroup(command.Groups()...)
	for _, f := range families() {
		f.AddTo(root, a)
	}
	complete(a, root)
	if a.Remote != nil {
		server.Restrict(a, root)
	}
	honorDryRun(a, root)
	return root
}
