package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// patience is how far the heap may grow before the first garbage collection,
// in percent: to 32 MB from the 4 MB that the runtime begins with.
const patience = 800

// collectLate puts the first garbage collection off until the heap has that
// size. A command that lists, shows or approves allocates some 15 MB and ends;
// the collections on the way would take a seventh of its time and give it
// nothing. The usual pace is back with the first collection, or when the
// process calls settle because it is going to stay: the workbench and the
// servers keep no more garbage than ever. Whoever sets GOGC is obeyed.
func collectLate() (settle func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	usual := debug.SetGCPercent(patience)
	settle = sync.OnceFunc(func() { debug.SetGCPercent(usual) })
	type dropped struct{ _ *byte } // with a pointer, it shares its memory with nothing that lives longer
	runtime.AddCleanup(&dropped{}, func(settle func()) { settle() }, settle)
	return settle
}
