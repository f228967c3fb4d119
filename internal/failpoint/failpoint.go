// Package failpoint names the moments between two steps of operations that must
// survive a crash: an approval, the publishing of files, a migration. A process
// armed by a test kills itself at such a point; the shipped program never is
// armed.
package failpoint

import (
	"fmt"
	"os"
	"sync/atomic"
)

// reached is called at each point; nil unless the process was armed.
var reached func(point string) //nolint:gochecknoglobals // state of the process, set before its work begins

// Here is a point.
func Here(point string) {
	if reached != nil {
		reached(point)
	}
}

// Arm has the process kill itself, as kill -9 does, at the nth passing of a
// point, counted from 1. The test binary of tools/bench/crash calls it before it runs
// toolcrib.
func Arm(point string, n int64) {
	var passed atomic.Int64
	reached = func(at string) {
		if at != point || passed.Add(1) != n {
			return
		}
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Kill()
		}
		if err != nil {
			panic(fmt.Sprintf("failpoint %s: %v", point, err))
		}
		select {} // the signal is on its way
	}
}
