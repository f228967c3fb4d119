//go:build !linux

package proc

import "os/exec"

// DiesWithParent does nothing: this system has no such option. When the parent
// ends, the program reads the end of its input.
func DiesWithParent(*exec.Cmd) {}
