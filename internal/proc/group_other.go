//go:build !unix

package proc

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing where there are no process groups.
func OwnGroup(*exec.Cmd) {}

// Terminate does nothing where there is no way to ask.
func Terminate(*exec.Cmd) error { return nil }

// Kill ends the program. What it started is not reached.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Signaled returns 0 where no signals end processes.
func Signaled(*os.ProcessState) int { return 0 }
