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
	"toolcrib/cli/notify"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
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
	sender := &notify.Sender{App: app}
	app.OnCommit = sender.Committed
	err := unknownWithHelp(root, env.Args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	verify.PublishLast(ctx, app)
	sender.Last()
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
