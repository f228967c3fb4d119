package gateway_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry"
	"toolcrib/store/catalog"
)

// imported approves a server's tool that asks by default, and returns its pin.
func (w *testGateway) imported(t testing.TB, server, name string, change func(*registry.Tool)) string {
	t.Helper()
	raw := catalog.Raw{Body: []byte(`{"inputSchema":{"type":"object"},"name":"` + name + `"}`)}
	raw.Hash = registry.HashBytes(raw.Body)
	if err := w.db.KeepImport(t.Context(), catalog.Import{
		ID: w.db.NewID(), At: w.db.Clock.Now(), Actor: "user:ada", Format: "mcp", Label: server, Hash: registry.HashBytes([]byte(server + name)), Tools: []catalog.Raw{raw},
	}); err != nil {
		t.Fatal(err)
	}
	w.approve(t, action(server+"_"+name, func(tool *registry.Tool) {
		tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
		tool.Source = &registry.Source{Type: registry.SourceMCP, Ref: server + "#" + name, Hash: raw.Hash}
		tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: name}
		if change != nil {
			change(tool)
		}
	}))
	return raw.Hash
}

// lockedLedger is a ledger that another process has locked for writing.
type lockedLedger struct{ gateway.Ledger }

func (lockedLedger) Log(ctx context.Context, _ func(gateway.LedgerTx) error) error {
	<-ctx.Done()
	return ctx.Err()
}

func (l lockedLedger) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return l.Log(ctx, fn)
}

// TestGuardedCallsAreLoggedOrRefused checks that guarded calls that cannot be logged are refused (S35), unlike other
// calls (TestFailingLog): when the disk is full, and when another process keeps the database locked. Refusals by
// gates stay refusals.
func TestGuardedCallsAreLoggedOrRefused(t *testing.T) {
	for name, wrap := range map[string]func(gateway.Ledger) gateway.Ledger{
		"no log":    func(l gateway.Ledger) gateway.Ledger { return deafLedger{l, false} },
		"full disk": func(l gateway.Ledger) gateway.Ledger { return deafLedger{l, true} },
		"locked":    func(l gateway.Ledger) gateway.Ledger { return lockedLedger{l} },
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, func(c *gateway.Config) {
				c.Ledger = wrap(c.Ledger)
			})
			w.SetLogWithin(time.Hour)
			if name == "locked" {
				w.SetLogWithin(time.Millisecond) // it is always locked
			}
			w.imported(t, "notes", "write", nil)
			w.imported(t, "notes", "wipe", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} })
			guarded := caller().Guarded("notes")
			a, err := w.Admit(t.Context(), guarded, request("write", "{}"))
			if a != nil || !errors.Is(err, gateway.ErrNotLogged) {
				t.Errorf("a call that is not logged: %+v, %v", a, err)
			}
			if locked := strings.Contains(err.Error(), "another process"); locked != (name == "locked") || !locked && !errors.Is(err, errDisk) {
				t.Errorf("the reason is %v", err)
			}
			if name == "locked" {
				if a, err := w.Admit(t.Context(), guarded, request("wipe", "{}")); a != nil || !errors.Is(err, gateway.ErrNotLogged) {
					t.Errorf("a call that would wait: %+v, %v", a, err)
				}
			}
			_, err = w.Admit(t.Context(), guarded, request("no", "{}"))
			refusal(t, err, gateway.CodeUnknown)
		})
	}
}

func TestGuardedCalls(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	pin := w.imported(t, "notes", "write", nil)
	w.imported(t, "notes", "wipe", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} })
	w.imported(t, "tides", "write", nil)
	w.allow(t, "get_weather", "tides_write")
	guarded := caller().Guarded("notes")

	list, err := w.Guarded(t.Context(), guarded)
	if err != nil || len(list.Tools) != 2 || list.Tools[0].Name != "wipe" || list.Tools[1].Hash != pin {
		t.Fatalf("the server has %+v, %v", list, err)
	}
	a, err := w.Admit(t.Context(), guarded, request("write", `{"anything":[1e2]}`))
	if err != nil {
		t.Fatalf("a tool whose default asks is held behind the guard: %v", err)
	}
	if got := a.Tool().Subject.ID; got != "notes_write" {
		t.Errorf("the call is of %s", got)
	}
	w.Conclude(t.Context(), a, gateway.Outcome{OutputHash: registry.HashBytes(nil), OutputBytes: 3, Duration: 5})
	w.Flush(t.Context())
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10})
	if err != nil || len(calls) != 1 || calls[0].Outcome == nil || calls[0].Outcome.OutputBytes != 3 || calls[0].Caller.Agent != "guard:notes" || calls[0].Name != "write" {
		t.Fatalf("the log has %+v, %v", calls, err)
	}
	_, err = w.Admit(t.Context(), guarded, request("wipe", "{}"))
	refusal(t, err, gateway.CodeApprovalRequired)
	for _, name := range []string{"get_weather", "notes_write", "tides_write", "", "no"} {
		_, err = w.Admit(t.Context(), guarded, request(name, "{}"))
		refusal(t, err, gateway.CodeUnknown)
	}

	// The user's tier holds the next call.
	if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: guarded.User, Tools: []string{"notes_write"}, Layer: guarded.Layer, Tier: registry.RequiresApproval}); err != nil {
		t.Fatal(err)
	}
	_, err = w.Admit(t.Context(), guarded, request("write", "{}"))
	refusal(t, err, gateway.CodeApprovalRequired)

	// Other users' defaults are unchanged.
	_, err = w.Execute(t.Context(), caller(), request("tides_write", "{}"))
	refusal(t, err, gateway.CodeApprovalRequired)
	if w.provider.runs.Load() != 0 {
		t.Error("something ran")
	}
}

// TestGuardedCallsAreOfTheirServer checks that a guard cannot apply its default to the tools of another server: the
// database refuses the call.
func TestGuardedCallsAreOfTheirServer(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	w.imported(t, "notes", "write", nil)
	c := caller().Guarded("notes")
	c.Agent = gateway.GuardPrefix + "tides"
	if _, err := w.Admit(t.Context(), c, request("write", "{}")); !errors.Is(err, gateway.ErrContradiction) {
		t.Errorf("it was admitted: %v", err)
	}
}

// TestGuardsDecline checks that a guard is asked about the definition in force when the call is logged, although the
// last call had another one, and that calls that it declines are logged as refused.
func TestGuardsDecline(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	w.imported(t, "notes", "write", nil)
	c := caller().Guarded("notes")
	var seen []int
	r := request("write", "{}")
	r.Decline = func(approved registry.Live) *gateway.Error {
		seen = append(seen, approved.Version)
		if approved.Version == 1 {
			return nil
		}
		return &gateway.Error{Code: gateway.CodeChanged, Message: "It changed."}
	}
	if _, err := w.Admit(t.Context(), c, r); err != nil {
		t.Fatal(err)
	}
	next := *w.named(t, "notes_write")[0].Definition.Tool
	next.Description += " It is quick."
	w.approve(t, next)
	if _, err := w.Admit(t.Context(), c, r); !errors.Is(err, gateway.CodeChanged) {
		t.Errorf("version 2 is called after the guard saw %v: %v", seen, err)
	}
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10, Code: gateway.CodeChanged})
	if err != nil || len(calls) != 1 || calls[0].Version != 2 {
		t.Errorf("the log has %+v, %v", calls, err)
	}
	r.Tool = "no"
	_, err = w.Admit(t.Context(), c, r)
	refusal(t, err, gateway.CodeUnknown)
}

// TestApprovedGuardedCalls checks that an approved call runs when its client repeats it, exactly once, and that no
// other call does.
func TestApprovedGuardedCalls(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	w.imported(t, "notes", "wipe", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} })
	c := caller().Guarded("notes")
	_, err := w.Admit(t.Context(), c, request("wipe", `{"all": true}`))
	refusal(t, err, gateway.CodeApprovalRequired)
	var held *gateway.Error
	if !errors.As(err, &held) {
		t.Fatal(err)
	}
	r, err := w.Unsigned().Approve(t.Context(), ada, held.Pending, "")
	if err != nil || len(r.Warnings) != 1 || w.provider.runs.Load() != 0 {
		t.Fatalf("the approval returns %+v, %v", r, err)
	}
	_, err = w.Admit(t.Context(), c, request("wipe", `{"all": false}`)) // other arguments ask again
	refusal(t, err, gateway.CodeApprovalRequired)
	a, err := w.Admit(t.Context(), c, request("wipe", `{"all":true}`))
	if err != nil {
		t.Fatalf("the approved call is refused: %v", err)
	}
	_, err = w.Admit(t.Context(), c, request("wipe", `{"all":true}`)) // while it runs
	refusal(t, err, gateway.CodeApprovalRequired)
	w.Conclude(t.Context(), a, gateway.Outcome{OutputHash: registry.HashBytes(nil), OutputBytes: 2})
	_, err = w.Admit(t.Context(), c, request("wipe", `{"all":true}`))
	refusal(t, err, gateway.CodeApprovalRequired)
	p, err := w.PendingCall(t.Context(), held.Pending)
	if err != nil || w.State(p) != gateway.PendingDone {
		t.Errorf("the pending call is %s, %v", w.State(p), err)
	}
}

// TestLateOutcomes checks that outcomes are written together after a short delay.
func TestLateOutcomes(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	w.imported(t, "notes", "write", nil)
	c := caller().Guarded("notes")
	var last *gateway.Admitted
	for range 3 {
		a, err := w.Admit(t.Context(), c, request("write", "{}"))
		if err != nil {
			t.Fatal(err)
		}
		w.Conclude(t.Context(), a, gateway.Outcome{Code: gateway.CodeProvider, Message: "tired"})
		last = a
	}
	w.Conclude(t.Context(), last, gateway.Outcome{}) // the second outcome cannot be written, and does not affect others
	for done := 0; done < 3; {
		calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10})
		if err != nil || len(calls) != 3 {
			t.Fatalf("%+v, %v", calls, err)
		}
		done = 0
		for _, call := range calls {
			if call.Outcome != nil && call.Outcome.Message == "tired" {
				done++
			}
		}
	}
	if _, err := w.Admit(t.Context(), c, request("write", "{}")); err != nil {
		t.Error(err)
	}
}

// BenchmarkGuarded measures the gates and the log entries of a guarded call.
func BenchmarkGuarded(b *testing.B) {
	w := open(b, nil, action("get_weather", nil))
	w.imported(b, "notes", "write", nil)
	c := caller().Guarded("notes")
	for b.Loop() {
		a, err := w.Admit(b.Context(), c, request("write", `{"text":"hello"}`))
		if err != nil {
			b.Fatal(err)
		}
		w.Conclude(b.Context(), a, gateway.Outcome{OutputHash: registry.HashBytes(nil), OutputBytes: 12})
	}
	w.Flush(b.Context())
}

// busyLedger is locked by another process while busy is set.
type busyLedger struct {
	gateway.Ledger
	busy *atomic.Bool
}

func (l busyLedger) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	if l.busy.Load() {
		return lockedLedger{l.Ledger}.Log(ctx, fn)
	}
	return l.Ledger.Log(ctx, fn)
}

func (l busyLedger) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	if l.busy.Load() {
		return lockedLedger{l.Ledger}.Durable(ctx, fn)
	}
	return l.Ledger.Durable(ctx, fn)
}

// TestOutcomesWaitForALockedDatabase ends calls, including approved ones, while another process has locked the
// database. The outcomes are written when it is unlocked; the last Flush gives up after a short time with a warning
// (S35).
func TestOutcomesWaitForALockedDatabase(t *testing.T) {
	var busy atomic.Bool
	warnings := make(chan string, 10)
	w := open(t, func(c *gateway.Config) {
		c.Ledger, c.Warn = busyLedger{c.Ledger, &busy}, func(text string) { warnings <- text }
	})
	w.SetLogWithin(500 * time.Millisecond)
	w.imported(t, "notes", "write", nil)
	w.imported(t, "notes", "wipe", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} })
	c := caller().Guarded("notes")
	admit := func(tool string) *gateway.Admitted {
		a, err := w.Admit(t.Context(), c, request(tool, "{}"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	_, err := w.Admit(t.Context(), c, request("wipe", "{}"))
	held := refusal(t, err, gateway.CodeApprovalRequired)
	if _, err := w.Unsigned().Approve(t.Context(), ada, held.Pending, ""); err != nil {
		t.Fatal(err)
	}
	for _, a := range []*gateway.Admitted{admit("write"), admit("wipe")} {
		busy.Store(true)
		w.Conclude(t.Context(), a, gateway.Outcome{OutputHash: registry.HashBytes(nil), OutputBytes: 2})
		busy.Store(false)
	}
	w.Flush(t.Context())
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 10})
	if err != nil || len(calls) != 3 || calls[0].Outcome == nil || calls[1].Outcome == nil {
		t.Errorf("%+v, %v", calls, err)
	}
	if len(warnings) > 0 {
		t.Errorf("warned: %s", <-warnings)
	}
	a := admit("write")
	busy.Store(true)
	w.Conclude(t.Context(), a, gateway.Outcome{})
	w.Flush(t.Context())
	if len(warnings) != 1 {
		t.Errorf("%d warnings; want 1", len(warnings))
	}
}
