// Package proc runs external programs, and ends a program together with its child
// processes. On Unix, each program runs in a separate process group, and signals are sent
// to the whole group. A process that changes its group with setsid is not ended.
package proc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Run runs cmd, which exec.CommandContext must have created, and waits until the program
// ends. It then kills all remaining processes in the process group. If the context is
// done first, Run kills the whole group. The caller must set cmd.WaitDelay. Otherwise, a
// process outside of the group could block Run with an inherited pipe. If the
// program ends successfully, Run returns nil, even if another process keeps the pipe open
// for longer than cmd.WaitDelay.
func Run(cmd *exec.Cmd) error {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return Kill(cmd) }
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	// The system cannot reuse the id of a group that contains a process. If the group is
	// empty, a new group could get this id only before the next line runs.
	_ = Kill(cmd) // fails if the group is empty
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// Output is the output of a program, truncated to a limit.
type Output struct {
	Stdout, Stderr []byte
	Full           bool // whether Stdout was truncated
}

// Exchange runs the program args[0] in the folder dir, with stdin as its standard input.
// It returns at most limit bytes of standard output and at most limit bytes of standard
// error. Like Run, it kills the remaining processes of the program's group at the end.
func Exchange(ctx context.Context, args []string, dir string, stdin []byte, limit int) (Output, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user's configuration specifies it
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	return Collect(cmd, limit)
}

// Collect runs cmd as Run does. It returns at most limit bytes of standard output and at
// most limit bytes of standard error.
func Collect(cmd *exec.Cmd, limit int) (Output, error) {
	out, errs := limitedBuffer{limit: limit}, limitedBuffer{limit: limit}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	err := Run(cmd)
	return Output{out.kept, errs.kept, out.full}, err
}

// limitedBuffer is a writer that stores the first limit bytes and discards the rest.
// Write never returns an error, so a program with more output can continue.
type limitedBuffer struct {
	limit int
	kept  []byte
	full  bool
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	room := b.limit - len(b.kept)
	b.full = b.full || len(p) > room
	b.kept = append(b.kept, p[:min(len(p), room)]...)
	return len(p), nil
}
