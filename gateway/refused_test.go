package gateway_test

import (
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/store/storetest"
)

// refusals returns the refusals that were counted without being written.
func (w *testGateway) refusals(t *testing.T, q gateway.RefusalQuery) []gateway.Refusals {
	t.Helper()
	q.Limit = 10
	list, err := w.Refusals(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// written returns the number of calls in the audit log.
func (w *testGateway) written(t *testing.T) int {
	t.Helper()
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) == 0 {
		return 0
	}
	return int(calls[0].Seq)
}

// TestRefusedCallsAreCounted has several gates refuse an agent more often than is written. The agent must always get
// the same refusal, the audit log must not grow, and the number must be kept. Calls that are not refused run and are
// written, and after an hour refusals are written again.
func TestRefusedCallsAreCounted(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, func(c *gateway.Config) { c.MaxRefused = 5 }, action("get_weather", nil), action("get_climate", limitedTo(0, 1)),
		action("create_notes", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} }))
	if _, err := w.Execute(t.Context(), caller(), request("get_climate", "{}")); err != nil {
		t.Fatal(err)
	}
	asks := []struct {
		tool, args string
		code       gateway.Code
	}{
		{"get_wether", "{}", gateway.CodeUnknown},
		{"get_weather", `{"city":7}`, gateway.CodeArguments},
		{"get_climate", "{}", gateway.CodeDailyLimit},
		{"create_notes", "{}", gateway.CodeApprovalRequired},
	}
	for i := range 40 {
		ask := asks[i%len(asks)]
		_, err := w.Execute(t.Context(), caller(), request(ask.tool, ask.args))
		refusal(t, err, ask.code)
	}
	if n := w.written(t); n != 1+5 {
		t.Errorf("the audit has %d calls; want the one that ran and 5 refused", n)
	}
	got := w.refusals(t, gateway.RefusalQuery{})
	want := gateway.Refusals{
		Agent: "scout", User: "ada", Hour: w.db.Clock.Now().UTC().Truncate(time.Hour), Written: 5, Counted: 35, LastCode: gateway.CodeApprovalRequired,
	}
	if len(got) != 1 || got[0].LastAt.IsZero() {
		t.Fatalf("counted are %+v", got)
	}
	if got[0].LastAt = (time.Time{}); got[0] != want {
		t.Errorf("counted are %+v; want %+v", got[0], want)
	}
	waiting, err := w.Pending(t.Context(), gateway.PendingQuery{Waiting: true, Limit: 10})
	if err != nil || len(waiting) != 1 {
		t.Errorf("%d calls wait, %v; want 1", len(waiting), err)
	}
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil || w.written(t) != 7 {
		t.Errorf("what is not refused: %v; %d in the audit", err, w.written(t))
	}
	bob := caller()
	bob.User = "bob"
	_, err = w.Execute(t.Context(), bob, request("get_wether", "{}"))
	refusal(t, err, gateway.CodeUnknown)
	w.db.Clock.Forward(time.Hour)
	_, err = w.Execute(t.Context(), caller(), request("get_wether", "{}"))
	refusal(t, err, gateway.CodeUnknown)
	if n := w.written(t); n != 9 || len(w.refusals(t, gateway.RefusalQuery{User: "bob"})) != 0 || len(w.refusals(t, gateway.RefusalQuery{Agent: "scout"})) != 1 {
		t.Errorf("another user, or another hour: %d in the audit", n)
	}
	w.verify(t)
}

// TestRefusedCallsAreCountedAmongMany checks that concurrent refusals are counted exactly and that the counts survive
// a restart.
func TestRefusedCallsAreCountedAmongMany(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, func(c *gateway.Config) { c.MaxRefused = 20 }, action("get_weather", limitedTo(0, 3)))
	ran, err := hammer(t.Context(), w.Gateway, 10, 10)
	if err != nil || ran != 3 {
		t.Fatalf("%d ran, %v", ran, err)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, w.db.Path())
	g, err := gateway.New(gateway.Config{Ledger: db.Calls(), Now: w.db.Clock.Now, NewID: storetest.IDs(7)})
	if err != nil {
		t.Fatal(err)
	}
	list, err := g.Refusals(t.Context(), gateway.RefusalQuery{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Written != 20 || list[0].Counted != 77 || list[0].LastCode != gateway.CodeDailyLimit {
		t.Errorf("counted are %+v, %v; want 20 and 77", list, err)
	}
	calls, err := g.Calls(t.Context(), gateway.CallQuery{Limit: 100})
	if err != nil || len(calls) != 23 {
		t.Errorf("the audit has %d calls, %v; want 23", len(calls), err)
	}
}

// TestCountsOnlyGrow checks that the database does not allow counts to be reduced.
func TestCountsOnlyGrow(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, func(c *gateway.Config) { c.MaxRefused = 1 })
	for range 3 {
		_, err := w.Execute(t.Context(), caller(), request("get_wether", "{}"))
		refusal(t, err, gateway.CodeUnknown)
	}
	for _, query := range []string{
		"DELETE FROM call_refusals", "UPDATE call_refusals SET counted = 0", "UPDATE call_refusals SET counted = counted + 2", "UPDATE call_refusals SET agent = 'other'",
		"INSERT OR REPLACE INTO call_refusals SELECT agent, \"user\", hour, 1, 0, last_at, last_code FROM call_refusals",
		"INSERT INTO call_refusals VALUES ('a', 'b', '2026-11-20T22', 5, 5, '', '')",
	} {
		err := w.db.SQL(t.Context(), query)
		foreign := strings.Contains(query, "OR REPLACE") && storetest.OnPostgres() // PostgreSQL has no such statement
		if err == nil || !foreign && !strings.Contains(err.Error(), "count") {
			t.Errorf("%s: %v", query, err)
		}
	}
	if got := w.refusals(t, gateway.RefusalQuery{}); len(got) != 1 || got[0].Counted != 2 {
		t.Errorf("counted are %+v", got)
	}
}
