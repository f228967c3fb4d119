// Package proc runs external programs so that their children end with them. A
// program gets a process group of its own, where there are such, and is signalled
// as a group. Processes that leave the group (setsid) are not reached.
package proc

import (
	"errors"
	"os/exec"
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
