package proc

import (
	"os/exec"
	"syscall"
)

// DiesWithParent makes the kernel kill the program of cmd when the thread that starts cmd
// ends, which includes the end of this process. It must be called before cmd is started.
// The caller must keep the thread until the program has ended (see runtime.LockOSThread).
func DiesWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
