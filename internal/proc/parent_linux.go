package proc

import (
	"os/exec"
	"syscall"
)

// DiesWithParent has the system kill a program that is not started yet when the
// thread that starts it ends, and so when this process is killed. The caller keeps the
// thread until the program has ended (runtime.LockOSThread).
func DiesWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
