// Package proc runs external programs and ends their child processes together with them.
// On Unix, each program has its own process group, and signals are sent to the group. A
// process that leaves the group with setsid is not ended.
package proc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Run runs cmd, which exec.CommandContext must have created, and waits until the program
// ends. It then kills all processes that remain in the process group. If the context is
// done first, Run kills the whole group. cmd.WaitDelay must be set, because a process
// that left the group could otherwise block the caller with an inherited pipe. Run does
// not return exec.ErrWaitDelay. This error means that the program itself ended
// successfully and wrote its output.
func Run(cmd *exec.Cmd) error {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return Kill(cmd) }
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	// While a process is in the group, the system cannot reuse the id of the group. If
	// the group is empty, the id could be reused only by a group that starts before the
	// next line runs.
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
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // callers take it from the user's own configuration
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

// limitedBuffer is a writer that keeps the first limit bytes and discards the rest. It
// returns no error, so that a program with more output is neither blocked nor killed by a
// full pipe.
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
