package proc

import (
	"os/exec"
	"syscall"
)

// DiesWithParent makes the kernel kill the program of cmd when this process, or only the
// thread that starts cmd, ends. It must be called before cmd is started. The caller must
// prevent the thread from ending before the program (see runtime.LockOSThread).
func DiesWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
