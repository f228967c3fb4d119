// Package failpoint marks points in operations that must survive a crash, such as
// approvals, file writes, and migrations. A test can make its process kill itself at a
// marked point. In the shipped program, the points have no effect.
package failpoint

import (
	"fmt"
	"os"
	"sync/atomic"
)

// reached, if not nil, is called by Here with the name of the point. Only tests set it.
var reached func(point string) //nolint:gochecknoglobals // set once, before the work of the process starts

// Here marks a point with the given name. It does nothing unless a test has armed the
// process.
func Here(point string) {
	if reached != nil {
		reached(point)
	}
}

// Arm makes the process kill itself, as kill -9 does, when it reaches the given point for
// the nth time (n starts at 1). The test binary of tools/bench/crash calls Arm before it
// runs toolcrib.
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
		select {} // wait for the signal
	}
}

// ArmPanic makes the process panic when it reaches the given point. disarm ends the
// effect.
func ArmPanic(point string) (disarm func()) {
	return ArmFunc(point, func() { panic("failpoint " + point) })
}

// ArmFunc makes the process call fn when it reaches the given point. disarm ends the
// effect.
func ArmFunc(point string, fn func()) (disarm func()) {
	reached = func(at string) {
		if at == point {
			fn()
		}
	}
	return func() { reached = nil }
}
