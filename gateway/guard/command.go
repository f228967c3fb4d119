// This file implements Command, a server that runs as a child process.

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

// Command is a server that the guard starts as a child process.
type Command struct {
	Args   []string
	Env    []string // environment of the server; nil for the environment of this process
	Dir    string   // working directory; "" for the working directory of this process
	Stderr io.Writer
	// If Outlives is set, the server may continue to run after this process has ended.
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
	c.cmd = exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the command is from the client's configuration; serve ends the process
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
			_ = c.cmd.Wait()                    // serve reads the exit status from c.cmd.ProcessState
			_ = out.SetReadDeadline(time.Now()) // ends the pending read; output.Read limits later reads
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
		go c.end(c.times.End) // the server has closed its output, so it should exit
		<-c.exited
	}
	_ = proc.Kill(c.cmd) // kill the remaining child processes of the server
	_ = c.out.Close()
	if errors.Is(failed, io.EOF) || errors.Is(failed, os.ErrDeadlineExceeded) {
		failed = nil
	}
	if signal := proc.Signaled(c.cmd.ProcessState); signal > 0 {
		return 128 + signal, failed // as a shell does
	}
	return c.cmd.ProcessState.ExitCode(), failed
}

// output reads the standard output of a server. After the server has exited, each read has a time limit. Otherwise,
// serve would block if a child process of the server did not close the output.
type output struct{ *Command }

func (o output) Read(p []byte) (int, error) {
	for {
		ended := false
		select {
		case <-o.exited:
			ended = true
			_ = o.out.SetReadDeadline(time.Now().Add(o.times.Drain)) // fails only for a closed file, for which Read fails, too
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
	_ = c.in.Close() // if this fails, the server is terminated anyway
	go c.end(c.times.End)
}

// end ends the server. It waits up to byItself for the server to exit, then terminates the server, and after another
// c.times.Stop kills it.
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
