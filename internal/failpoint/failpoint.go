// Package failpoint marks the points between two steps of operations that must
// survive a crash: approvals, the publishing of files, migrations. A test can arm
// its process to kill itself at such a point. The shipped program is never armed.
package failpoint

import (
	"fmt"
	"os"
	"sync/atomic"
)

// reached is called at each point; nil unless the process was armed.
var reached func(point string) //nolint:gochecknoglobals // state of the process, set once before its work starts

// Here marks the point with the given name.
func Here(point string) {
	if reached != nil {
		reached(point)
	}
}

// Arm makes the process kill itself, as kill -9 does, when it reaches point for the
// nth time (counted from 1). The test binary of tools/bench/crash calls it before
// it runs toolcrib.
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
		select {} // until the signal arrives
	}
}

// ArmPanic makes the process panic at point until the returned function is called.
func ArmPanic(point string) (disarm func()) {
	return ArmFunc(point, func() { panic("failpoint " + point) })
}

// ArmFunc makes the process call fn at point until the returned function is called.
func ArmFunc(point string, fn func()) (disarm func()) {
	reached = func(at string) {
		if at == point {
			fn()
		}
	}
	return func() { reached = nil }
}
