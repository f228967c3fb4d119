// Package gctune tunes the garbage collector for short commands.
package gctune

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// firstPercent is the GC percentage until the first collection. It raises the heap size
// at which the first collection starts from 4 MB to 32 MB.
const firstPercent = 800

// DelayFirst delays the first garbage collection until the heap reaches 32 MB. The first
// collection restores the previous GC percentage. A long-running process, such as the
// workbench or a server, calls restore to restore the percentage earlier. DelayFirst does
// nothing if GOGC is set.
//
// A command that lists, shows, or approves proposals allocates about 15 MB and exits.
// Without DelayFirst, it would spend a seventh of its time on useless collections.
func DelayFirst() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(firstPercent)
	restore = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
	type dropped struct{ _ *byte } // the pointer prevents the runtime from combining this object with other tiny objects
	runtime.AddCleanup(&dropped{}, func(restore func()) { restore() }, restore)
	return restore
}
