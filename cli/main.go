package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolcrib/gateway/guard"
	"toolcrib/internal/door"
	"toolcrib/internal/visible"
)

// Main runs the command that env asks for and returns the exit code.
func Main(ctx context.Context, env Env) int {
	return table{}.run(ctx, newApp(ctx, env, table{}))
}

// newApp returns the run of a program that env describes.
func newApp(ctx context.Context, env Env, program program) *app {
	app := &app{program: program, printer: &printer{env: env, stdout: env.Out, running: ctx}, keyboard: env.In, stderr: env.Err}
	app.env.Out, app.env.Err = visible.NewLog(env.Out), visible.NewLog(env.Err)
	app.env.In = untilDone(ctx, env.In)
	return app
}

// table is the program with all commands.
type table struct{}

func (table) root(a *app) *cobra.Command { return newRoot(a) }

func (table) run(ctx context.Context, app *app) int {
	env := app.env
	root := newRoot(app)
	root.SetArgs(append([]string{}, env.Args...)) // for nil, cobra takes those of the process
	root.SetIn(env.In)
	root.SetErr(env.Err)
	sender := &noticeSender{app: app}
	app.onCommit = sender.committed
	err := root.ExecuteContext(ctx)
	app.publishLast(ctx)
	sender.last()
	err = errors.Join(err, app.close())
	var child exitStatus
	if ctx.Err() != nil && err != nil && !errors.As(err, &child) {
		err = context.Cause(ctx)
	}
	code := report(env, app.wantsJSON(), err)
	app.noteStderr(err)
	return code
}

// Commands returns all commands with their help, for programs that write
// documentation. They cannot be run.
func Commands() *cobra.Command {
	root := newRoot(&app{printer: &printer{env: Env{Getenv: func(string) string { return "" }}}})
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

func newRoot(a *app) *cobra.Command {
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
				return usagef("--version takes no arguments")
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
	a.register(root.PersistentFlags())
	root.SetOut(a.env.Out) // now: the commands for completion keep it
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp())
	root.SetCompletionCommandGroupID(groupOther)
	defer describeCompletion(root)
	addCommands(a, root)
	takeNothing(root)
	complete(a, root)
	if a.remote != nil {
		a.restrict(root)
	}
	return root
}

// addCommands adds the commands to root, in the groups of its help text.
func addCommands(a *app, root *cobra.Command) {
	root.AddGroup(
		&cobra.Group{ID: groupReview, Title: "Proposals:"},
		&cobra.Group{ID: groupRegistry, Title: "Registry and history:"},
		&cobra.Group{ID: groupRuntime, Title: "At run time:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	for _, add := range []struct {
		group    string
		commands []func(*app) *cobra.Command
	}{
		{groupReview, []func(*app) *cobra.Command{
			creating(newPropose), newRevise, newSubmit, newList, newShow, newDiff, newReview, newTest, newApprove, newNeedsChanges, newReject,
			newWithdraw, newComment, newWaive, newUnwaive, newRebase, newRegroup, creating(newFork), newAssign,
		}},
		{groupRegistry, []func(*app) *cobra.Command{newTools, newAgents, newLists, newHistory, newBlame, newRollback, newVerify, newCheckpoint, newBackup, newMigrate, newLog, newExport, newDrift}},
		{groupRegistry, []func(*app) *cobra.Command{newResolve, newPreview, creating(newInit), creating(newImport), creating(newWatch), creating(newCanonicalize), newCheck, newWrap, newUnwrap, newStatus}},
		{groupRuntime, []func(*app) *cobra.Command{newParse, creating(newExec), newCalls, creating(newMCP), newGuard, newServe, newTokens}},
		{groupOther, []func(*app) *cobra.Command{newLint, newRules, newDemo, newDoctor, newConfig, newSchema, newTrust, newUntrust, newPolicy, newSigners, newSign, newVersion}},
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
func creating(build func(*app) *cobra.Command) func(*app) *cobra.Command {
	return func(a *app) *cobra.Command {
		c := build(a)
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			a.creates = true
			return run(cmd, args)
		}
		return c
	}
}

// takeNothing has the commands below c take no arguments that do not say what they take.
func takeNothing(c *cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.Args == nil {
			sub.Args = exact(0, "no arguments")
		}
		takeNothing(sub)
	}
}

// exact makes cobra's count of arguments a usage error of ours.
func exact(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef("%s takes %s; got %s%s", cmd.CommandPath(), what, counted(len(args), "argument"), noArgument(args, what))
		}
		return nil
	}
}

// some requires at least one argument; what names them in the error.
func some(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s takes %s; got %s%s", cmd.CommandPath(), what, counted(len(args), "argument"), noArgument(args, what))
		}
		return nil
	}
}

func between(low, high int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usagef("%s takes %s; got %s%s", cmd.CommandPath(), what, counted(len(args), "argument"), noArgument(args, what))
		}
		return nil
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
// until the terminal is as it was.
func Run(env Env) int {
	if files := door.OpenFiles(); files > 0 && files < leastFiles { // the runtime dies without a word to the user
		return report(env, wantsJSON(env.Args), fmt.Errorf("this process may have %d files open, and needs %d; raise the limit with ulimit -n %[2]d", files, leastFiles))
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
		os.Exit(report(env, wantsJSON(env.Args), ctx.Err()))
	})()
	return Main(ctx, env)
}

// Env is the process as a value: everything the program takes from outside.
type Env struct {
	Args   []string // without the program's name
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string
	Dir    string // working directory
	// Program is the path of the running program, for configurations that start
	// it; "" leaves it to be found by its name.
	Program string
	Now     func() time.Time
	NewID   func() string // a new UUIDv7
	// Guard are the periods and limits of toolcrib guard; zeros for the usual ones.
	Guard guard.Times
	// System is the folder of the administrator's files; "" for /etc/toolcrib. No
	// environment variable names another.
	System string
	// Account returns the account that runs the process; nil asks the operating
	// system.
	Account func() Account
	// Windows selects the default folders of Windows.
	Windows bool
	// MinWait is how long the process waits at least for others, where it goes on without
	// them after a few seconds: a server that it asked to end, a receiver of notices.
	// Tests set it, so that a busy machine fails none.
	MinWait time.Duration
	// InTerminal, OutTerminal and ErrTerminal report whether a terminal is at the
	// other end.
	InTerminal, OutTerminal, ErrTerminal bool
	// RestoreGC is called when the process is about to stay: the workbench with
	// its first page on the screen, a server before it serves. nil does nothing.
	RestoreGC func()
	// Hold keeps an interrupted process from being ended before it has given
	// the terminal back; release ends that. nil does nothing.
	Hold func() (release func())
}

// System returns the environment of the running process.
func System() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // the folder is gone; relative names fail with their own message
	}
	program, _ := os.Executable() // "" where the system does not know
	return Env{
		Args: os.Args[1:], In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Program: program,
		Now:        time.Now,
		Windows:    runtime.GOOS == "windows",
		NewID:      func() string { return uuid.Must(uuid.NewV7()).String() },
		InTerminal: term.IsTerminal(int(os.Stdin.Fd())), OutTerminal: term.IsTerminal(int(os.Stdout.Fd())), ErrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
}
