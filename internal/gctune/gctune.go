// Package gctune tunes the garbage collector for short commands.
package gctune

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstPercent is the GC percentage until the first collection. With this percentage, the
// heap can grow from 4 MB, the initial limit of the runtime, to 32 MB.
const firstPercent = 800

// DelayFirst delays the first garbage collection until the heap reaches 32 MB. The first
// collection restores the previous percentage. A process that keeps running, such as the
// workbench or a server, calls restore to restore the percentage earlier. DelayFirst does
// nothing if GOGC is set.
//
// A command that lists, shows, or approves allocates about 15 MB and exits. Collections
// would take a seventh of its time without a benefit.
func DelayFirst() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(firstPercent)
	restore = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
	type dropped struct{ _ *byte } // with a pointer, the runtime does not group the object with tiny objects that live longer
	runtime.AddCleanup(&dropped{}, func(restore func()) { restore() }, restore)
	return restore
}
