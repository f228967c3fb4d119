// Package gctune tunes the garbage collector for short commands.
package gctune

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstPercent is the GC percentage until the first collection: the heap may grow
// from the runtime's initial 4 MB to 32 MB.
const firstPercent = 800

// DelayFirst delays the first garbage collection until the heap has 32 MB. A
// command that lists, shows or approves allocates some 15 MB and exits; collections
// would take a seventh of its time for no benefit. The first collection restores
// the usual percentage. A process that keeps running, such as the workbench or a
// server, calls restore to get it back earlier. DelayFirst does nothing if GOGC is
// set.
func DelayFirst() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(firstPercent)
	restore = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
	type dropped struct{ _ *byte } // the pointer keeps it out of the tiny allocator, where longer-lived objects would keep it alive
	runtime.AddCleanup(&dropped{}, func(restore func()) { restore() }, restore)
	return restore
}
