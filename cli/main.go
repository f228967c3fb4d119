// Package cli implements the command line interface. It parses the command line, runs the command, and returns the exit
// status. A group of related commands is called a family and has a subfolder. This package combines all families in a
// table.
//
// The types of the JSON documents that commands print for scripts have names that start with doc or Doc. New fields can
// be added to them, but existing fields are never renamed. All text for people passes through package visible, which
// makes it safe to print.
package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

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
	"toolcrib/cli/notify"
	"toolcrib/cli/output"
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
	"toolcrib/internal/httpserver"
	"toolcrib/proposals"
	"toolcrib/review/rules/ruleset"
)

// Main runs the command in env.Args and returns its exit status.
func Main(ctx context.Context, env process.Env) int {
	return table{}.Run(ctx, command.New(ctx, env, table{}))
}

// table implements command.Program with all commands.
type table struct{}

func (table) Root(a *command.App) *cobra.Command { return newRoot(a) }

func (table) Run(ctx context.Context, app *command.App) int {
	env := app.Env
	root := newRoot(app)
	root.SetArgs(append([]string{}, env.Args...)) // for nil, cobra would use the arguments of the process
	root.SetIn(env.In)
	root.SetErr(env.Err)
	sender := &notify.Sender{App: app}
	app.OnCommit = sender.Committed
	err := unknownWithHelp(root, env.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	verify.PublishAtExit(ctx, app)
	sender.Last()
	err = errors.Join(err, app.Close())
	if _, ofChild := errors.AsType[process.ExitStatus](err); ctx.Err() != nil && err != nil && !ofChild {
		err = context.Cause(ctx)
	}
	code := command.Report(env, app.WantsJSON(), err)
	command.NoteStderr(app, err)
	return code
}

// Commands returns the root command with all subcommands and their help texts. The documentation is generated from
// these commands. They cannot be run.
func Commands() *cobra.Command {
	root := newRoot(&command.App{Printer: &output.Printer{Env: process.Env{Getenv: func(string) string { return "" }}}})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// exitTimeout is the time that a command has to return after an interrupt before Run exits the process. During this
// time, servers complete running calls and stop the programs that they started.
const exitTimeout = 5 * time.Second

// minOpenFiles is the number of open files that every process needs, for the database and the Go runtime.
const minOpenFiles = 32

// Run runs the command in the arguments of this process and returns its exit status. The first interrupt cancels the
// command. A second interrupt ends the process immediately.
//
// If the command does not return within exitTimeout after the first interrupt, Run exits the process. This happens, for
// example, while the command executes an endless SQL statement in a manipulated database, or reads from a pipe without
// a writer. A database write in progress is then either complete or absent, as after a power failure. The workbench
// delays the exit until it has restored the terminal.
//
// If restoreGC is not nil, it is called before the process starts to serve or to wait for the user.
func Run(restoreGC func()) int {
	env := process.System()
	env.RestoreGC = restoreGC
	if files := httpserver.OpenFiles(); files > 0 && files < minOpenFiles { // the Go runtime would crash without an explanation
		return command.Report(env, command.WantsJSON(env.Args), fmt.Errorf("this process needs %[2]d open files, but the limit is %[1]d; raise the limit with ulimit -n %[2]d", files, minOpenFiles))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var held sync.RWMutex
	env.Hold = func() func() {
		held.RLock()
		return sync.OnceFunc(held.RUnlock)
	}
	defer context.AfterFunc(ctx, func() {
		held.Lock()
		stop() // the next signal ends the process
		time.Sleep(exitTimeout)
		os.Exit(command.Report(env, command.WantsJSON(env.Args), ctx.Err()))
	})()
	return Main(ctx, env)
}

//go:embed help
var help embed.FS

// families returns all command families. The last family contains the commands of this package, and the other families
// are in subfolders.
func families() []command.Family {
	return []command.Family{
		proposal.Family(), preview.Family(),
		catalog.Family(), verify.Family(), export.Family(), database.Family(), files.Family(), check.Family(), share.Family(),
		setup.Family(), imports.Family(), wrap.Family(),
		calls.Family(), server.Family(),
		lint.Family(), config.Family(), sign.Family(), demo.Family(),
		{
			Commands: []command.Entry{
				{Group: command.GroupOther, New: newSchema},
				{Group: command.GroupOther, New: newVersion},
			},
			Documents: map[string]any{"error": command.Failure{}, "schema": docSchema{}, "schema.list": docSchemaList{}, "version": docVersionInfo{}},
		},
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
				return proposal.Decide(cmd.Context(), a, args, decision, proposals.VerdictApproved)
			case len(args) > 0:
				return noCommand(cmd, args[0])
			}
			return workbench.Run(cmd, a)
		},
	}
	command.Describe(root, help)
	root.Flags().BoolVar(&approve, "approve", false, "approve the proposals named by the arguments, - for standard input")
	root.Flags().BoolVarP(&version, "version", "v", false, "print the versions of toolcrib and its rules")
	decision.Register(root.Flags())
	decision.RegisterUnseen(root.Flags())
	a.Register(root.PersistentFlags())
	root.SetOut(a.Env.Out) // the completion commands store this writer when they are created below
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID(command.GroupOther)
	defer describeCompletion(root)
	root.AddGroup(command.Groups()...)
	for _, f := range families() {
		f.AddTo(root, a, help)
	}
	complete(a, root)
	if a.Remote != nil {
		server.Restrict(a, root)
	}
	honorDryRun(a, root)
	return root
}

type docVersionInfo struct {
	output.Head
	Version string `json:"version"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Rules   string `json:"rules"`
	// Commit and CommittedAt describe the source that was built, if the build recorded them.
	Commit      string `json:"commit,omitempty"`
	CommittedAt string `json:"committed_at,omitempty"`
}

func newVersion(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		RunE: func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

// runVersion implements the version command and the --version flag.
func runVersion(a *command.App) error {
	doc := docVersionInfo{
		Head: output.NewHead("version"), Version: process.ProgramVersion(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Rules: ruleset.Version(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				doc.Commit = s.Value
			case "vcs.time":
				doc.CommittedAt = s.Value
			}
		}
	}
	return a.Print(doc, func(p *output.Page) {
		p.Linef("toolcrib %s (%s, %s/%s), rules %s", doc.Version, doc.Go, doc.OS, doc.Arch, doc.Rules)
	})
}

// dryRuns maps each command that supports --dry-run to the flags that it does not support in a dry run. A dry run does
// not write, delete, trust, start, or send anything. With --dry-run, commands that are not in the map are rejected
// before they run. A command can be in the map in three cases: it only reads, it writes only through the review service
// and the database (which discard all writes in a dry run), or it checks the flag itself.
func dryRuns() map[string]string {
	return map[string]string{
		"": "", "help": "", "version": "", "schema": "", "rules": "", "config": "", "lint": "", "parse": "", "completion": "",
		"completion bash": "", "completion fish": "", "completion powershell": "", "completion zsh": "",
		"propose": "", "revise": "", "submit": "", "withdraw": "", "rebase": "source", "regroup": "", "fork": "", "assign": "", "rollback": "",
		"comment": "", "waive": "", "unwaive": "", "approve": "", "needs-changes": "", "reject": "", "canonicalize": "", "exclude": "",
		"import": "mcp mcp-url", "init": "", "wrap": "", "unwrap": "", "restore": "", "drift": "overwrite",
		"list": "", "show": "source", "diff": "", "review": "", "preview": "",
		"tools": "source", "agents": "source", "lists": "source", "reach": "", "history": "", "blame": "", "log": "", "resolve": "", "files": "", "status": "",
		"export": "output", "check": "", "verify": "",
		"policy": "", "policy test": "", "tokens": "", "tokens list": "", "signers": "", "signers list": "", "signers renew": "", "signers verify": "",
		"calls": "", "calls list": "", "calls show": "", "calls log": "", "calls prune": "", "calls policy": "",
	}
}

// honorDryRun rejects --dry-run for commands and flags that do not support it.
func honorDryRun(a *command.App, root *cobra.Command) {
	before := root.PersistentPreRunE
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		if a.Flags.DryRun {
			name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), c.Root().Name()), " ")
			flags, honors := dryRuns()[name]
			if !honors {
				return process.ErrNoDryRun(name)
			}
			if c == c.Root() && c.Flags().NArg() == 0 && !c.Flags().Changed("approve") && !c.Flags().Changed("version") {
				return process.ErrNoDryRun("the workbench")
			}
			for _, flag := range strings.Fields(flags) {
				if f := c.Flags().Lookup(flag); f.Changed && f.Value.String() != "-" { // "-" is standard output
					return process.ErrNoDryRun(name + " --" + flag)
				}
			}
			a.Form.NoPager = true // a dry run must not start a pager
		}
		if before != nil {
			return before(c, args)
		}
		return nil
	}
}
