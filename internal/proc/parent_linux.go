package proc

import (
	"os/exec"
	"syscall"
)

// DiesWithParent configures cmd, before it is started, to be killed when the thread
// that starts it ends, and so when this process is killed. The caller has to keep
// that thread until the program has ended (runtime.LockOSThread).
func DiesWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
