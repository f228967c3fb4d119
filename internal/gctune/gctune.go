// Package gctune sets the pace of the garbage collector for a short command.
package gctune

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstPercent is how far the heap may grow before the first garbage collection,
// in percent: to 32 MB from the 4 MB that the runtime begins with.
const firstPercent = 800

// DelayFirst puts the first garbage collection off until the heap has 32 MB. A command that lists, shows or approves allocates some 15 MB and ends;
// the collections on the way would take a seventh of its time and give it
// nothing. The usual pace is back with the first collection, or when the
// process calls restore because it is going to stay: the workbench and the
// servers keep no more garbage than ever. DelayFirst does nothing where GOGC is
// set.
func DelayFirst() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(firstPercent)
	restore = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
	type dropped struct{ _ *byte } // with a pointer, it shares its memory with nothing that lives longer
	runtime.AddCleanup(&dropped{}, func(restore func()) { restore() }, restore)
	return restore
}
