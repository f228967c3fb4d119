// Package proc runs external programs so that their children end with them. A
// program gets a process group of its own, where there are such, and is signalled
// as a group. Processes that leave the group (setsid) are not reached.
package proc

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// Run runs a command made by exec.CommandContext to its end. When its context
// ends, and when the program has ended by itself, the rest of its process group is
// killed. WaitDelay must be set: it limits how long a process out of reach can
// block the caller with an inherited pipe. A program that ended well and left such
// a process behind has written its output, so that is not an error.
func Run(cmd *exec.Cmd) error {
	OwnGroup(cmd)
	cmd.Cancel = func() error { return Kill(cmd) }
	if err := cmd.Start(); err != nil {
		return err
	}
	err := cmd.Wait()
	// The group keeps its number from being given away for as long as somebody
	// is in it. Were it empty, the number would have to come round at once.
	_ = Kill(cmd) // an error means that no process is left
	if errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	return err
}

// hiddenWait sets how long what left the program's group can hold its pipes open
// after the program has ended.
const hiddenWait = time.Second

// Output is the beginning of a program's output.
type Output struct {
	Stdout, Stderr []byte
	Full           bool // Stdout was longer
}

// Exchange runs a program in dir with stdin as its input, and returns at most
// limit bytes of each of its outputs. Run has the rest of the contract.
func Exchange(ctx context.Context, args []string, dir string, stdin []byte, limit int) (Output, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // callers take it from the user's own configuration
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	return Collect(cmd, limit)
}

// Collect runs a command made by exec.CommandContext as Run does, and returns at
// most limit bytes of each of its outputs.
func Collect(cmd *exec.Cmd, limit int) (Output, error) {
	out, errs := limitedBuffer{limit: limit}, limitedBuffer{limit: limit}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, hiddenWait
	err := Run(cmd)
	return Output{out.kept, errs.kept, out.full}, err
}

// limitedBuffer keeps the first limit bytes written to it and drops the rest
// without an error, so that a full pipe neither stops nor kills the program.
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
