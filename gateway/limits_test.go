package gateway_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/store/storetest"
)

func limitedTo(cooldown, daily int) func(*registry.Tool) {
	return func(tool *registry.Tool) {
		tool.Limits = &registry.Limits{CooldownSeconds: cooldown, DailyLimit: daily}
	}
}

// TestDailyLimitExactAmongGoroutines makes 4 calls from each of 50 callers against a limit of 100.
func TestDailyLimitExactAmongGoroutines(t *testing.T) {
	w := open(t, nil, action("get_weather", limitedTo(0, 100)))
	ran, err := hammer(t.Context(), w.Gateway, 50, 4)
	if err != nil || ran != 100 || w.provider.runs.Load() != 100 {
		t.Errorf("%d of 200 ran, the provider %d times, %v; want 100", ran, w.provider.runs.Load(), err)
	}
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1000})
	if err != nil || len(calls) != 200 {
		t.Fatalf("the audit has %d calls, %v; want 200", len(calls), err)
	}
	nths := map[int]int{}
	for _, c := range calls {
		nths[c.Nth]++
	}
	if nths[0] != 100 || len(nths) != 101 {
		t.Errorf("the calls of the day are numbered %v", nths)
	}
}

// TestDailyLimitExactAmongProcesses makes 4 calls from each of 5 callers in 10 processes against a limit of 100.
func TestDailyLimitExactAmongProcesses(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", limitedTo(0, 100)))
	ran := 0
	for _, out := range runChildren(t, 10, "call", w.db.Path(), "5", "4") {
		n, err := strconv.Atoi(strings.TrimSpace(out))
		if err != nil {
			t.Fatal(err)
		}
		ran += n
	}
	if ran != 100 {
		t.Errorf("%d of 200 ran; want 100", ran)
	}
}

// TestLimitsAreEachUsers checks that limits are counted per user and tool, restart at midnight UTC, and include
// failed calls.
func TestLimitsAreEachUsers(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", limitedTo(0, 2)), action("get_climate", limitedTo(0, 2)))
	bob := caller()
	bob.User = "bob"
	w.provider.fail = &gateway.Error{Code: "hub_down", Message: "No."}
	_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	refusal(t, err, "hub_down")
	w.provider.fail = nil
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Fatal(err)
	}
	_, err = w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	e := refusal(t, err, gateway.CodeDailyLimit)
	if string(e.Details) != `{"retry_at":"2026-11-21T00:00:00Z"}` {
		t.Errorf("the details are %s", e.Details)
	}
	if _, err := w.Execute(t.Context(), bob, request("get_weather", "{}")); err != nil {
		t.Error(err)
	}
	if _, err := w.Execute(t.Context(), caller(), request("get_climate", "{}")); err != nil {
		t.Error(err)
	}
	w.db.Clock.Forward(78 * time.Minute) // past midnight
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Error(err)
	}
}

// TestLimitsSurviveARestart checks that limits hold after the database was closed and reopened.
func TestLimitsSurviveARestart(t *testing.T) {
	w := open(t, nil, action("get_weather", limitedTo(3600, 0)))
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, w.db.Path())
	g, err := gateway.New(gateway.Config{
		Ledger: db.Calls(), Now: w.db.Clock.Now, NewID: storetest.IDs(7),
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: w.provider},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Execute(t.Context(), caller(), request("get_weather", "{}"))
	refusal(t, err, gateway.CodeCooldown)
	w.db.Clock.Forward(time.Hour)
	if _, err := g.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Error(err)
	}
}
