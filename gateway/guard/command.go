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

// How long a server has to end after its input has, then after it was asked to; then
// its process group is killed. A client waits two seconds before it asks its server
// to end, and two more before it kills it.
const (
	endsByItself = time.Second
	endsWhenTold = time.Second
	// answersLate is how long a server may answer what it was asked before its input
	// ended, while somebody reads the answers.
	answersLate = 30 * time.Second
	// drains is how long the output of a server is read after its end: a process that
	// it started may hold it open.
	drains = time.Second
)

// Command is a server that a command starts.
type Command struct {
	Args   []string
	Env    []string // nil for that of this process
	Dir    string   // where it runs; "" for the folder of this process
	Stderr io.Writer
	// Gone reports whether nobody reads what the client gets any more; nil for never.
	Gone func() bool

	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	exited chan struct{}

	finishing sync.Once
	sending   sync.Mutex
}

// start implements Server.
func (c *Command) start(context.Context, func(string)) error {
	out, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	c.cmd = exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the client's own command; it is ended in order
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = theirs, c.Stderr, drains
	c.cmd.Env, c.cmd.Dir = c.Env, c.Dir
	proc.OwnGroup(c.cmd)
	proc.DiesWithParent(c.cmd)
	c.out, c.exited = out, make(chan struct{})
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		out.Close()
		return err
	}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the process lives as long as the thread that started it
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // serve looks at the state
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
		lines := newLineReader(c.out)
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
		_ = c.out.SetReadDeadline(time.Now().Add(drains))
		failed = <-ended
	case failed = <-ended:
		go c.end(endsByItself) // it writes no more
		<-c.exited
	}
	_ = proc.Kill(c.cmd) // whom it left behind
	_ = c.out.Close()
	if errors.Is(failed, io.EOF) || errors.Is(failed, os.ErrDeadlineExceeded) {
		failed = nil
	}
	return exitStatus(c.cmd.ProcessState), failed
}

// exitStatus is the status that a shell reports for a process.
func exitStatus(s *os.ProcessState) int {
	if signal := proc.Signaled(s); signal > 0 {
		return 128 + signal
	}
	return s.ExitCode()
}

// send implements Server.
func (c *Command) send(_ context.Context, _ *message, line []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	_, err := c.in.Write(ended(line))
	return err
}

// finish implements Server.
func (c *Command) finish(busy func() bool) {
	c.finishing.Do(func() {
		_ = c.in.Close() // the server is ended all the same
		go func() {
			for late := time.Now().Add(answersLate); busy() && time.Now().Before(late) && (c.Gone == nil || !c.Gone()); {
				if !c.runs(endsByItself / 10) {
					return
				}
			}
			c.end(endsByItself)
		}()
	})
}

// end ends the server: by itself within a time, then when told, then at once.
func (c *Command) end(byItself time.Duration) {
	if !c.runs(byItself) {
		return
	}
	_ = proc.Terminate(c.cmd) // it is killed if this fails
	if c.runs(endsWhenTold) {
		_ = proc.Kill(c.cmd)
	}
}

// runs reports whether the server still runs after d.
func (c *Command) runs(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.exited:
		return false
	case <-timer.C:
		return true
	}
}
