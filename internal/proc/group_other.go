//go:build !unix

package proc

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing, because this system has no process groups.
func OwnGroup(*exec.Cmd) {}

// Terminate does nothing, because this system cannot request that a process ends.
func Terminate(*exec.Cmd) error { return nil }

// Kill ends the program, but not its children.
func Kill(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// Signaled returns 0, because signals do not end processes on this system.
func Signaled(*os.ProcessState) int { return 0 }
