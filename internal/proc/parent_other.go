//go:build !linux

package proc

import "os/exec"

// DiesWithParent does nothing, because this system has no such option. However, when this
// process ends, the standard input of the program ends, too.
func DiesWithParent(*exec.Cmd) {}
