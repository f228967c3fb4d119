package gateway_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// asking removes the tier of a tool, so that it requires the user's approval.
func asking(tool *registry.Tool) { tool.Approval = nil }

// ask calls get_weather and returns the resulting pending call.
func (w *testGateway) ask(t *testing.T, args string) gateway.Pending {
	t.Helper()
	_, err := w.Execute(t.Context(), caller(), request("get_weather", args))
	e := refusal(t, err, gateway.CodeApprovalRequired)
	p, err := w.PendingCall(t.Context(), e.Pending)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (w *testGateway) state(t *testing.T, id string) gateway.PendingState {
	t.Helper()
	p, err := w.PendingCall(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return w.State(p)
}

// TestChangedToolAsksNobody checks that a call that requires approval is refused without asking if its tool has
// changed, and that the user is asked if that is unknown.
func TestChangedToolAsksNobody(t *testing.T) {
	w := open(t, nil, action("get_weather", asking))
	w.provider.changed = &gateway.Error{Code: gateway.CodeChanged, Message: "it was swapped", Details: json.RawMessage(`{"listed":""}`), NotRun: true}
	_, err := w.Execute(t.Context(), caller(), request("get_weather", `{}`))
	refusal(t, err, gateway.CodeChanged)
	if waiting, err := w.Pending(t.Context(), gateway.PendingQuery{Waiting: true, Limit: 10}); err != nil || len(waiting) != 0 {
		t.Errorf("it waits for the user: %+v, %v", waiting, err)
	}
	if log := w.db.Dump(t); !strings.Contains(log, "swapped") && !strings.Contains(log, string(gateway.CodeChanged)) {
		t.Error("the refusal is not in the audit")
	}
	w.provider.changed = &gateway.Error{Code: gateway.CodeTimeout, Message: "it does not answer"}
	w.ask(t, `{}`)
	if w.provider.runs.Load() != 0 {
		t.Error("it ran")
	}
}

// TestApprovedCallRunsOnce checks that an approved call runs once, as shown, and that the agent gets its result.
func TestApprovedCallRunsOnce(t *testing.T) {
	w := open(t, nil, action("get_weather", asking))
	p := w.ask(t, `{"days":2,"city":"Kiel"}`)
	if string(p.Args) != `{"city":"Kiel","days":2}` || p.Caller != caller() || p.Version != 1 || w.State(p) != gateway.PendingWaiting {
		t.Fatalf("got %+v", p)
	}
	_, err := w.Outcome(t.Context(), caller(), p.ID)
	refusal(t, err, gateway.CodeApprovalRequired)

	_, err = w.Approve(t.Context(), ada, p.ID, strings.Repeat("0", 64))
	if !errors.Is(err, review.ErrDigest) || w.provider.runs.Load() != 0 {
		t.Fatalf("another digest: %v, %d runs", err, w.provider.runs.Load())
	}
	res, err := w.Approve(t.Context(), ada, p.ID, p.Digest)
	if err != nil {
		t.Fatal(err)
	}
	if string(res.Output) != `{"echo":{"city":"Kiel","days":2}}` {
		t.Errorf("got %+v", res)
	}
	for range 2 {
		if _, err := w.Approve(t.Context(), ada, p.ID, ""); !errors.Is(err, proposals.ErrConflict) {
			t.Errorf("approved again: %v", err)
		}
		if _, err := w.Refuse(t.Context(), ada, p.ID, "Too late."); !errors.Is(err, proposals.ErrConflict) {
			t.Errorf("refused after that: %v", err)
		}
	}
	told, err := w.Outcome(t.Context(), caller(), p.ID)
	if err != nil || string(told.Output) != string(res.Output) || told.Call != res.Call {
		t.Errorf("the agent is told %+v, %v", told, err)
	}
	if w.provider.runs.Load() != 1 || w.state(t, p.ID) != gateway.PendingDone {
		t.Errorf("%d runs, %s", w.provider.runs.Load(), w.state(t, p.ID))
	}
	other := caller()
	other.Actor.Name = "eve"
	if _, err := w.Outcome(t.Context(), other, p.ID); !errors.Is(err, proposals.ErrNotFound) {
		t.Errorf("another agent is told %v", err)
	}
	w.verify(t)
}

// verify fails the test if the verification of the database reports problems.
func (w *testGateway) verify(t *testing.T) {
	t.Helper()
	storetest.Sound(t, w.db.DB)
}

// TestRefused checks that the agent gets the reason for a rejection and that the call never runs.
func TestRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", asking))
	p := w.ask(t, "{}")
	if _, err := w.Refuse(t.Context(), ada, p.ID, " \n"); !errors.Is(err, review.ErrNoReason) {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := w.Refuse(t.Context(), ada, p.ID, "Not today."); err != nil {
		t.Fatal(err)
	}
	_, err := w.Outcome(t.Context(), caller(), p.ID)
	if refusal(t, err, gateway.CodeApprovalRefused); !strings.Contains(err.Error(), "Not today.") {
		t.Errorf("the agent is told %q", err)
	}
	if _, err := w.Approve(t.Context(), ada, p.ID, ""); !errors.Is(err, proposals.ErrConflict) || w.provider.runs.Load() != 0 {
		t.Errorf("approved after that: %v, %d runs", err, w.provider.runs.Load())
	}
	w.verify(t)
}

// TestExpired checks pending calls after their time limit.
func TestExpired(t *testing.T) {
	w := open(t, func(c *gateway.Config) { c.PendingFor = time.Minute }, action("get_weather", asking))
	p := w.ask(t, "{}")
	w.db.Clock.Forward(time.Minute)
	if _, err := w.Approve(t.Context(), ada, p.ID, ""); !errors.Is(err, review.ErrStale) || !strings.Contains(err.Error(), "expired") {
		t.Errorf("approved: %v", err)
	}
	_, err := w.Outcome(t.Context(), caller(), p.ID)
	refusal(t, err, gateway.CodeApprovalExpired)
	if s := w.state(t, p.ID); s != gateway.PendingExpired {
		t.Errorf("it is %s", s)
	}
	again := w.ask(t, "{}")
	if again.ID == p.ID {
		t.Error("the expired call is asked about again")
	}
	if _, err := w.Approve(t.Context(), ada, again.ID, ""); err != nil {
		t.Error(err)
	}
}

// TestChangedDefinition checks that pending calls become invalid if the tool has another version or the agent has
// lost it.
func TestChangedDefinition(t *testing.T) {
	w := open(t, nil, action("get_weather", asking), action("get_climate", nil))
	p := w.ask(t, "{}")
	w.approve(t, action("get_weather", func(tool *registry.Tool) { tool.Approval = nil; tool.Description = "Sends the weather to everybody." }))
	if _, err := w.Approve(t.Context(), ada, p.ID, p.Digest); !errors.Is(err, review.ErrStale) {
		t.Errorf("approved: %v", err)
	}
	_, err := w.Outcome(t.Context(), caller(), p.ID)
	refusal(t, err, gateway.CodeApprovalOutdated)

	p = w.ask(t, "{}")
	w.allow(t, "get_climate")
	if _, err := w.Approve(t.Context(), ada, p.ID, p.Digest); !errors.Is(err, review.ErrStale) {
		t.Errorf("approved for an agent that does not have it: %v", err)
	}
	if n := w.provider.runs.Load(); n != 0 {
		t.Errorf("it ran %d times", n)
	}
}

// TestRepeatedCallWaitsOnce checks that repeated calls do not create more pending calls, and that their number is
// limited.
func TestRepeatedCallWaitsOnce(t *testing.T) {
	w := open(t, func(c *gateway.Config) { c.MaxPending = 2 }, action("get_weather", asking))
	first := w.ask(t, `{"city":"Kiel"}`)
	if again := w.ask(t, `{ "city": "Kiel" }`); again.ID != first.ID {
		t.Error("the same call waits twice")
	}
	w.ask(t, `{"city":"Bonn"}`)
	_, err := w.Execute(t.Context(), caller(), request("get_weather", `{"city":"Köln"}`))
	refusal(t, err, gateway.CodePendingFull)
	list, err := w.Pending(t.Context(), gateway.PendingQuery{Waiting: true, Limit: 10})
	if err != nil || len(list) != 2 {
		t.Errorf("%d wait, %v", len(list), err)
	}
	if _, err := w.Refuse(t.Context(), ada, first.ID, "No."); err != nil {
		t.Fatal(err)
	}
	w.ask(t, `{"city":"Köln"}`)
}

// TestLimitsHoldForApprovedCalls checks that an approved call that may not run yet stays pending.
func TestLimitsHoldForApprovedCalls(t *testing.T) {
	w := open(t, nil, action("get_weather", func(tool *registry.Tool) {
		asking(tool)
		tool.Limits = &registry.Limits{CooldownSeconds: 60}
	}))
	one, two := w.ask(t, `{"city":"Kiel"}`), w.ask(t, `{"city":"Bonn"}`)
	if _, err := w.Approve(t.Context(), ada, one.ID, ""); err != nil {
		t.Fatal(err)
	}
	_, err := w.Approve(t.Context(), ada, two.ID, "")
	refusal(t, err, gateway.CodeCooldown)
	if s := w.state(t, two.ID); s != gateway.PendingWaiting {
		t.Errorf("it is %s; want waiting", s)
	}
	w.db.Clock.Forward(time.Minute)
	if _, err := w.Approve(t.Context(), ada, two.ID, ""); err != nil {
		t.Error(err)
	}
}
