package gateway_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
)

// TestApprovedByManyAtOnce approves a call from 16 goroutines. One of them runs it; the others get an error because
// it has been answered.
func TestApprovedByManyAtOnce(t *testing.T) {
	w := open(t, nil, action("get_weather", asking))
	p := w.ask(t, "{}")
	var wg sync.WaitGroup
	var won, lost atomic.Int64
	for range 16 {
		wg.Go(func() {
			switch _, err := w.Approve(t.Context(), ada, p.ID, p.Digest); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, proposals.ErrConflict):
				lost.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 15 || w.provider.runs.Load() != 1 {
		t.Errorf("%d won, %d lost, %d runs", won.Load(), lost.Load(), w.provider.runs.Load())
	}
}

// TestApprovedByProcessesAtOnce approves a call from four processes, one of which runs it.
func TestApprovedByProcessesAtOnce(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", asking))
	p := w.ask(t, "{}")
	ran := 0
	for _, out := range runChildren(t, 4, "race", w.db.Path(), p.ID) {
		ran += strings.Count(out, "ran")
	}
	if ran != 1 || w.state(t, p.ID) != gateway.PendingDone {
		t.Errorf("it ran in %d processes and is %s", ran, w.state(t, p.ID))
	}
	w.verify(t)
}

// TestKilledWhileRunning kills the process between the claim and the effect. The call must be shown as interrupted
// and never run again.
func TestKilledWhileRunning(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", asking))
	p := w.ask(t, "{}")
	if err := startChild(t, "approve", w.db.Path(), p.ID).Run(); err == nil {
		t.Fatal("the process was not killed")
	}
	if s := w.state(t, p.ID); s != gateway.PendingRunning {
		t.Errorf("it is %s right after; want running", s)
	}
	w.db.Clock.Forward(2 * time.Minute)
	if s := w.state(t, p.ID); s != gateway.PendingInterrupted {
		t.Errorf("it is %s; want interrupted", s)
	}
	if _, err := w.Approve(t.Context(), ada, p.ID, ""); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("approved again: %v", err)
	}
	_, err := w.Outcome(t.Context(), caller(), p.ID)
	refusal(t, err, gateway.CodeInterrupted)
	if n := w.provider.runs.Load(); n != 0 {
		t.Errorf("it ran %d times here", n)
	}
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", `{"city":7}`)); err == nil {
		t.Error("it ran")
	}
	for agent, want := range map[string]int{"": 1, "scout": 1, "rover": 0} {
		if calls, err := w.Calls(t.Context(), gateway.CallQuery{Code: gateway.CodeInterrupted, Agent: agent, Limit: 10}); err != nil || len(calls) != want {
			t.Errorf("the audit has %d interrupted calls of %q, %v; want %d", len(calls), agent, err, want)
		}
	}
	w.verify(t)
}
