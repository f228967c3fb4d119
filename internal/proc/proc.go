// Package proc runs external programs so that their children end with them. Each
// program gets its own process group, on systems that have them, and signals go to
// the group. Processes that leave the group (setsid) are not reached.
package proc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Run runs a command made by exec.CommandContext and waits for it. When the context
// or the program ends, Run kills the rest of the process group. WaitDelay must be
// set: it limits how long a process that left the group can block the caller with
// an inherited pipe. Run does not report exec.ErrWaitDelay, because the program
// itself has then ended successfully and written its output.
func Run(cmd *exec.Cmd) error {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return Kill(cmd) }
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	// The id of the group cannot be reused while a process is in the group. If the
	// group is empty, the id would have to be reused within this moment.
	_ = Kill(cmd) // fails if no process is left
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// Output is the output of a program, cut at a limit.
type Output struct {
	Stdout, Stderr []byte
	Full           bool // Stdout was cut
}

// Exchange runs the program args in dir with stdin as its input. It returns at most
// limit bytes of standard output and as many of standard error. See Run for how it
// ends.
func Exchange(ctx context.Context, args []string, dir string, stdin []byte, limit int) (Output, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // callers take it from the user's own configuration
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	return Collect(cmd, limit)
}

// Collect runs a command made by exec.CommandContext as Run does. It returns at
// most limit bytes of standard output and as many of standard error.
func Collect(cmd *exec.Cmd, limit int) (Output, error) {
	out, errs := limitedBuffer{limit: limit}, limitedBuffer{limit: limit}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	err := Run(cmd)
	return Output{out.kept, errs.kept, out.full}, err
}

// limitedBuffer keeps the first limit bytes and drops the rest without an error, so
// that the program is neither blocked nor killed by a full pipe.
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
