package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review/impact"
	"toolcrib/store/storetest"
)

// overtaken is a ledger that runs a function before each record of a call, of a pending call, or of an approved one.
type overtaken struct {
	gateway.Ledger
	before, beforeDurable func()
	records               int
}

func (o *overtaken) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	o.records++
	if o.before != nil {
		o.before()
	}
	return o.Ledger.Log(ctx, fn)
}

func (o *overtaken) Durable(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	o.records++
	if o.beforeDurable != nil {
		o.beforeDurable()
	}
	return o.Ledger.Durable(ctx, fn)
}

// overtake returns a gateway with a new database and an overtaken ledger.
func overtake(t testing.TB, tools ...registry.Tool) (*testGateway, *overtaken) {
	t.Helper()
	o := &overtaken{}
	w := open(t, func(c *gateway.Config) { o.Ledger, c.Ledger = c.Ledger, o }, tools...)
	return w, o
}

// once returns a function that calls do only the first time.
func once(do func()) func() {
	var done bool
	return func() {
		if !done {
			done = true
			do()
		}
	}
}

// TestOthersApprovedMeanwhile checks that each call and its outcome are recorded once, although another tool is
// approved before each record.
func TestOthersApprovedMeanwhile(t *testing.T) {
	shortrun.OneGoroutine(t)
	w, hurried := overtake(t, action("get_weather", nil), action("get_climate", asking))
	n := 0
	other := func() {
		n++
		w.approve(t, action(fmt.Sprintf("get_tides_%d", n), nil))
	}
	hurried.before, hurried.beforeDurable = other, other
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Fatal(err)
	}
	if hurried.records != 2 {
		t.Errorf("%d transactions for a call and its outcome", hurried.records)
	}
	_, err := w.Execute(t.Context(), caller(), request("get_climate", "{}"))
	pending := refusal(t, err, gateway.CodeApprovalRequired).Pending
	if _, err := w.Approve(t.Context(), ada, pending, ""); err != nil {
		t.Fatal(err)
	}
	if hurried.records != 2+2+2 || n != hurried.records {
		t.Errorf("%d transactions, overtaken %d times", hurried.records, n)
	}
}

// TestTakenAwayMeanwhile checks that a call is refused if the agent loses the tool between its lookup and the record
// of the call.
func TestTakenAwayMeanwhile(t *testing.T) {
	shortrun.OneGoroutine(t)
	off := func(w *testGateway) {
		w.db.Approved(t, w.desk, ada, storetest.StatusChange(proposals.Deactivate, storetest.Action("get_weather").Subject, 1, 0))
	}
	not := func(w *testGateway) { w.allow(t, "get_climate") }
	ask := func(w *testGateway) { w.approve(t, action("get_weather", asking)) }
	narrow := func(w *testGateway) {
		w.approve(t, action("get_weather", func(tool *registry.Tool) {
			tool.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false}`)
		}))
	}
	for code, change := range map[gateway.Code]func(*testGateway){
		gateway.CodeUnknown: off, gateway.CodeNotAllowed: not, gateway.CodeApprovalRequired: ask, gateway.CodeArguments: narrow,
	} {
		w, hurried := overtake(t, action("get_weather", nil), action("get_climate", nil))
		hurried.before = once(func() { change(w) })
		_, err := w.Execute(t.Context(), caller(), request("get_weather", `{"city":"Kiel"}`))
		refusal(t, err, code)
		if n := w.provider.runs.Load(); n != 0 {
			t.Errorf("%s: %d calls ran", code, n)
		}
	}
}

// TestChangedWhileAsking checks that users are asked about the version in force when the pending call is recorded,
// and that a call that no longer needs approval runs.
func TestChangedWhileAsking(t *testing.T) {
	shortrun.OneGoroutine(t)
	w, hurried := overtake(t, action("get_weather", asking))
	hurried.beforeDurable = once(func() {
		tool := action("get_weather", asking)
		tool.Name = "Weather of today"
		w.approve(t, tool)
	})
	_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	p, err := w.PendingCall(t.Context(), refusal(t, err, gateway.CodeApprovalRequired).Pending)
	if err != nil || p.Version != 2 || w.State(p) != gateway.PendingWaiting {
		t.Errorf("got %+v, %v", p, err)
	}
	hurried.beforeDurable = once(func() { w.approve(t, action("get_weather", nil)) })
	res, err := w.Execute(t.Context(), caller(), request("get_weather", `{"days":2}`))
	if err != nil || res.Version != 3 || w.provider.runs.Load() != 1 {
		t.Errorf("got %+v, %v; %d ran", res, err, w.provider.runs.Load())
	}
}

// TestApprovedMeanwhile checks that approvals between two calls, and between the lookup and the record of a call,
// take effect.
func TestApprovedMeanwhile(t *testing.T) {
	shortrun.OneGoroutine(t)
	w, hurried := overtake(t, action("get_weather", nil))
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Fatal(err)
	}
	w.approve(t, action("get_weather", func(tool *registry.Tool) { tool.Name = "Weather of today" }))
	res, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	if err != nil || res.Version != 2 || w.provider.last.Load().Tool.Definition.Tool.Name != "Weather of today" {
		t.Errorf("got %+v, %v", res, err)
	}
	hurried.before = once(func() {
		w.approve(t, action("get_weather", func(tool *registry.Tool) { tool.Name = "Weather of tomorrow" }))
	})
	if res, err = w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil || res.Version != 3 {
		t.Errorf("got %+v, %v", res, err)
	}
	w.db.Approved(t, w.desk, ada, storetest.StatusChange(proposals.Deactivate, storetest.Action("get_weather").Subject, 3, 0))
	_, err = w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	refusal(t, err, gateway.CodeUnknown)
}

// stumbling is a ledger with transactions that fail when a tool is looked up by its name and are retried, as by an
// engine that cannot serialize them.
type stumbling struct {
	gateway.Ledger
	failed int
}

type stumblingTools struct{ impact.ToolReader }

var errStumbled = errors.New("try again")

func (stumblingTools) ByWire(context.Context, string) ([]registry.Live, error) {
	return nil, errStumbled
}

func (s *stumbling) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	return s.Ledger.Log(ctx, func(tx gateway.LedgerTx) error {
		first := tx
		first.ToolReader = stumblingTools{tx.ToolReader}
		if err := fn(first); !errors.Is(err, errStumbled) {
			return err // nil if it wrote the call, which a second run would write again
		}
		s.failed++
		return fn(tx)
	})
}

// TestLookupIsRetried checks that a tool is looked up again after a transaction failed during its lookup.
func TestLookupIsRetried(t *testing.T) {
	shortrun.OneGoroutine(t)
	s := &stumbling{}
	hurried := &overtaken{}
	w := open(t, func(c *gateway.Config) { s.Ledger, hurried.Ledger, c.Ledger = c.Ledger, s, hurried }, action("get_weather", nil), action("get_tides", nil))
	hurried.before = once(func() {
		w.db.Approved(t, w.desk, ada, storetest.StatusChange(proposals.Deactivate, storetest.Action("get_weather").Subject, 1, 0))
	})
	_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	refusal(t, err, gateway.CodeUnknown)
	if s.failed == 0 {
		t.Error("no transaction failed")
	}
}
