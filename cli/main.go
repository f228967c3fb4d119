package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/config"
	"toolcrib/cli/export"
	"toolcrib/cli/files"
	"toolcrib/cli/lint"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/sign"
	"toolcrib/cli/verify"
	"toolcrib/internal/door"
)

// Main runs the command that env asks for and returns the exit code.
func Main(ctx context.Context, env process.Env) int {
	return table{}.Run(ctx, command.New(ctx, env, table{}))
}

// table is the program with all commands.
type table struct{}

func (table) Root(a *command.App) *cobra.Command { return newRoot(a) }

func (table) Run(ctx context.Context, app *command.App) int {
	env := app.Env
	root := newRoot(app)
	root.SetArgs(append([]string{}, env.Args...)) // for nil, cobra takes those of the process
	root.SetIn(env.In)
	root.SetErr(env.Err)
	sender := &noticeSender{app: app}
	app.OnCommit = sender.committed
	err := root.ExecuteContext(ctx)
	verify.PublishLast(ctx, app)
	sender.last()
	err = errors.Join(err, app.Close())
	var child process.ExitStatus
	if ctx.Err() != nil && err != nil && !errors.As(err, &child) {
		err = context.Cause(ctx)
	}
	code := command.Report(env, app.WantsJSON(), err)
	command.NoteStderr(app, err)
	return code
}

// Commands returns all commands with their help, for programs that write
// documentation. They cannot be run.
func Commands() *cobra.Command {
	root := newRoot(&command.App{Printer: &output.Printer{Env: process.Env{Getenv: func(string) string { return "" }}}})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// group ids of the help text.
const (
	groupReview   = "review"
	groupRegistry = "registry"
	groupRuntime  = "runtime"
	groupOther    = "other"
)

func newRoot(a *command.App) *cobra.Command {
	var approve, version bool
	decision := &decideFlags{}
	root := &cobra.Command{
		Use:   "toolcrib [--approve ID…]",
		Short: "Review every change to what your AI agents are told they can do",
		Long: `toolcrib reviews every change to the tools and prompts of your AI agents. Users
and agents propose changes, the Chief of Staff reviews them, and only a user can
make them live. Every approved version is kept.

ID is a proposal's number (4, or '#4' in quotes), a unique prefix of its id of
eight characters or more, or its subject or tool id if no other proposal is open
on it. set:NAME means all members of a change set.

Without a command, toolcrib opens the workbench in a terminal. Agents can only
propose: --as agent:NAME cannot decide anything.

Exit status: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict (already
decided, stale, digest differs), 5 refused (lock, authority, open block), 6
findings, 130 interrupted.`,
		Example: `  toolcrib propose pacer.md          # propose a change written in a file
  toolcrib list --state user_review  # proposals that wait for you
  toolcrib show 4                    # look at it
  toolcrib --approve 4               # make it live`,
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
				return runApprove(cmd.Context(), a, args, decision)
			case len(args) > 0:
				return noCommand(cmd, args[0])
			}
			return runWorkbench(cmd, a)
		},
	}
	root.Flags().BoolVar(&approve, "approve", false, "approve the proposals named by the arguments, - for standard input")
	root.Flags().BoolVarP(&version, "version", "v", false, "print the versions of toolcrib and its rules")
	decision.register(root.Flags())
	a.Register(root.PersistentFlags())
	root.SetOut(a.Env.Out) // now: the commands for completion keep it
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID(groupOther)
	defer describeCompletion(root)
	addCommands(a, root)
	takeNothing(root)
	complete(a, root)
	if a.Remote != nil {
		restrict(a, root)
	}
	return root
}

// addCommands adds the commands to root, in the groups of its help text.
func addCommands(a *command.App, root *cobra.Command) {
	root.AddGroup(
		&cobra.Group{ID: groupReview, Title: "Proposals:"},
		&cobra.Group{ID: groupRegistry, Title: "Registry and history:"},
		&cobra.Group{ID: groupRuntime, Title: "At run time:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	for _, add := range []struct {
		group    string
		commands []func(*command.App) *cobra.Command
	}{
		{groupReview, []func(*command.App) *cobra.Command{
			creating(newPropose), newRevise, newSubmit, newList, newShow, newDiff, newReview, newTest, newApprove, newNeedsChanges, newReject,
			newWithdraw, newComment, newWaive, newUnwaive, newRebase, newRegroup, creating(newFork), newAssign,
		}},
		{groupRegistry, []func(*command.App) *cobra.Command{newTools, newAgents, newLists, newHistory, newBlame, newRollback, verify.NewVerify, verify.NewCheckpoint, newBackup, newMigrate, newLog, export.NewExport, newDrift}},
		{groupRegistry, []func(*command.App) *cobra.Command{newResolve, newPreview, creating(newInit), creating(newImport), creating(newWatch), creating(newCanonicalize), newCheck, files.NewList, files.NewRestore, newWrap, newUnwrap, newStatus}},
		{groupRuntime, []func(*command.App) *cobra.Command{newParse, creating(newExec), newCalls, creating(newMCP), newGuard, newServe, newTokens}},
		{groupOther, []func(*command.App) *cobra.Command{lint.NewLint, lint.NewRules, newDemo, newDoctor, config.NewConfig, newSchema, config.NewTrust, config.NewUntrust, config.NewPolicy, sign.NewSigners, sign.NewSign, newVersion}},
	} {
		for _, build := range add.commands {
			c := build(a)
			c.GroupID = add.group
			root.AddCommand(c)
		}
	}
}

// creating returns the constructor of a command that makes the database when
// there is none. All others only open one that is there.
func creating(build func(*command.App) *cobra.Command) func(*command.App) *cobra.Command {
	return func(a *command.App) *cobra.Command {
		c := build(a)
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			a.Creates = true
			return run(cmd, args)
		}
		return c
	}
}

// takeNothing has the commands below c take no arguments that do not say what they take.
func takeNothing(c *cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Args == nil {
			sub.Args = command.Exact(0, "no arguments")
		}
		takeNothing(sub)
	}
}

// lastResort sets how long a process that was interrupted may take to end in good
// order: servers let calls come to their end, and end programs they started.
const lastResort = 5 * time.Second

// leastFiles is how many files a process needs: a database with its readers, and what
// the runtime opens for itself.
const leastFiles = 32

// Run runs the command of this process and returns its exit status. An
// interrupt ends it: what cannot be interrupted (a statement that a database
// somebody has tampered with never ends, a pipe that nobody writes to) is left
// behind, at the second interrupt at once. Whatever was being written is then
// as after a power cut: all there, or not at all. The workbench holds that off
// until the terminal is as it was. restoreGC is called when the process is about to
// stay, nil does nothing.
func Run(restoreGC func()) int {
	env := process.System()
	env.RestoreGC = restoreGC
	if files := door.OpenFiles(); files > 0 && files < leastFiles { // the runtime dies without a word to the user
		return command.Report(env, command.WantsJSON(env.Args), fmt.Errorf("this process may have %d files open, and needs %d; raise the limit with ulimit -n %[2]d", files, leastFiles))
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
		stop() // the next one is the system's to answer
		time.Sleep(lastResort)
		os.Exit(command.Report(env, command.WantsJSON(env.Args), ctx.Err()))
	})()
	return Main(ctx, env)
}
