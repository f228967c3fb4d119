//go:build !linux

package proc

import "os/exec"

// DiesWithParent does nothing, because this system has no such option. When this process
// ends, the program reaches the end of its standard input.
func DiesWithParent(*exec.Cmd) {}
