package gctune

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// pace returns what the garbage collector's percentage is now.
func pace() int {
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
			for pace() != 100 { // what restores it runs on its own
				runtime.Gosched()
			}
		},
		"until it is restored": func(restore func()) { restore() },
	} {
		restore := DelayFirst()
		if got := pace(); got != firstPercent {
			t.Errorf("%s: the percentage is %d, not %d", name, got, firstPercent)
		}
		end(restore)
		if got := pace(); got != 100 {
			t.Errorf("%s: then the percentage is %d, not the usual 100", name, got)
		}
	}
}

func TestGOGCIsObeyed(t *testing.T) {
	t.Setenv("GOGC", "70")
	usual := debug.SetGCPercent(70)
	t.Cleanup(func() { debug.SetGCPercent(usual) })
	defer DelayFirst()()
	if got := pace(); got != 70 {
		t.Errorf("the percentage is %d, not the 70 of GOGC", got)
	}
}
