//go:build !linux

package proc

import "os/exec"

// DiesWithParent does nothing where the system does not offer it: a program sees its
// input end.
func DiesWithParent(*exec.Cmd) {}
