package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// lastResort sets how long a process that was interrupted may take to end in good
// order: servers let calls come to their end, and end programs they started.
const lastResort = 5 * time.Second

// Run runs the command of this process and returns its exit status. An
// interrupt ends it: what cannot be interrupted (a statement that a database
// somebody has tampered with never ends, a pipe that nobody writes to) is left
// behind, at the second interrupt at once. Whatever was being written is then
// as after a power cut: all there, or not at all. The workbench holds that off
// until the terminal is as it was.
func Run(env Env) int {
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
		a := &app{env: env}
		os.Exit(report(env, a.wantsJSON(), ctx.Err()))
	})()
	return Main(ctx, env)
}
