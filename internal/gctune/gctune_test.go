package gctune

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// gcPercent returns the current percentage of the garbage collector.
func gcPercent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}

func TestTheFirstCollectionWaits(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	for name, end := range map[string]func(restore func()){
		"until there is one": func(func()) {
			runtime.GC()
			for gcPercent() != 100 { // the cleanup runs in its own goroutine
				runtime.Gosched()
			}
		},
		"until it is restored": func(restore func()) { restore() },
	} {
		restore := DelayFirst()
		if got := gcPercent(); got != firstPercent {
			t.Errorf("%s: the percentage is %d, not %d", name, got, firstPercent)
		}
		end(restore)
		if got := gcPercent(); got != 100 {
			t.Errorf("%s: then the percentage is %d, not the usual 100", name, got)
		}
	}
}

func TestGOGCIsObeyed(t *testing.T) {
	t.Setenv("GOGC", "70")
	usual := debug.SetGCPercent(70)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	defer DelayFirst()()
	if got := gcPercent(); got != 70 {
		t.Errorf("the percentage is %d, not the 70 of GOGC", got)
	}
}
