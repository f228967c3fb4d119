//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup puts a program that is not started yet into a process group of its own,
// so that its children can be ended with it.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Terminate asks a program and all it started to end. It returns
// os.ErrProcessDone when nobody is left.
func Terminate(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGTERM) }

// Kill ends a program and all it started. It returns os.ErrProcessDone when
// nobody is left.
func Kill(cmd *exec.Cmd) error { return signal(cmd, syscall.SIGKILL) }

func signal(cmd *exec.Cmd, s syscall.Signal) error {
	err := syscall.Kill(-cmd.Process.Pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// Signaled returns the number of the signal that ended a process, 0 for none.
func Signaled(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return int(w.Signal())
	}
	return 0
}
