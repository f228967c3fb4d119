// A server that runs as a child process.

package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"toolcrib/internal/proc"
)

// Command is a server that is started by a command.
type Command struct {
	Args   []string
	Env    []string // nil for the environment of this process
	Dir    string   // working directory; "" for that of this process
	Stderr io.Writer
	// Outlives lets the server continue after this process ends.
	Outlives bool

	times  Times
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	exited chan struct{}

	sending sync.Mutex
}

// start implements Server.
func (c *Command) start(_ context.Context, times Times, _ func(string)) error {
	out, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	c.cmd = exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the client's own command; serve ends it
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = theirs, c.Stderr, times.Drain
	c.cmd.Env, c.cmd.Dir = c.Env, c.Dir
	proc.OwnGroup(c.cmd)
	if !c.Outlives {
		proc.DiesWithParent(c.cmd)
	}
	c.times, c.out, c.exited = times, out, make(chan struct{})
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		out.Close()
		return err
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // on Linux, the server is killed when the thread that started it exits
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()                    // serve reads the exit status
			_ = out.SetReadDeadline(time.Now()) // ends the pending read; later ones have a time limit
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		out.Close()
		return fmt.Errorf("the server cannot be started: %w", err)
	}
	return nil
}

// serve implements Server.
func (c *Command) serve(ctx context.Context, receive func(line []byte)) (int, error) {
	ended := make(chan error, 1)
	go func() {
		lines := newLineReader(output{c}, c.times.MaxMessage)
		for {
			line, err := lines.next()
			if err != nil {
				ended <- err
				return
			}
			receive(line)
		}
	}()
	stop := context.AfterFunc(ctx, func() { c.end(0) })
	defer stop()
	var failed error
	select {
	case <-c.exited:
		failed = <-ended
	case failed = <-ended:
		go c.end(c.times.End) // its output has ended
		<-c.exited
	}
	_ = proc.Kill(c.cmd) // its remaining child processes
	_ = c.out.Close()
	if errors.Is(failed, io.EOF) || errors.Is(failed, os.ErrDeadlineExceeded) {
		failed = nil
	}
	if signal := proc.Signaled(c.cmd.ProcessState); signal > 0 {
		return 128 + signal, failed // like a shell
	}
	return c.cmd.ProcessState.ExitCode(), failed
}

// output reads the standard output of a server. After the server has exited, reads have a time limit, so that a child
// process that keeps the output open cannot delay the end.
type output struct{ *Command }

func (o output) Read(p []byte) (int, error) {
	for {
		ended := false
		select {
		case <-o.exited:
			ended = true
			_ = o.out.SetReadDeadline(time.Now().Add(o.times.Drain)) // fails for a closed file, as the read will
		default:
		}
		n, err := o.out.Read(p)
		if ended || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// send implements Server.
func (c *Command) send(_ context.Context, _ *message, line []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	_, err := c.in.Write(oneLine(line))
	return err
}

// finish implements Server.
func (c *Command) finish() {
	_ = c.in.Close() // the server is terminated in any case
	go c.end(c.times.End)
}

// end waits byItself for the server to exit, then terminates it, and finally kills it.
func (c *Command) end(byItself time.Duration) {
	if !c.stillRunning(byItself) {
		return
	}
	_ = proc.Terminate(c.cmd) // if this fails, the server is killed
	if c.stillRunning(c.times.Stop) {
		_ = proc.Kill(c.cmd)
	}
}

// stillRunning reports whether the server is still running after d.
func (c *Command) stillRunning(d time.Duration) bool {
	select {
	case <-c.exited:
		return false
	case <-time.After(d):
		return true
	}
}
