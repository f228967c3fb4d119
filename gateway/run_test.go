package gateway_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
)

// runFunc is a provider implemented by a function.
type runFunc func(context.Context, gateway.Invocation) (gateway.Output, error)

func (f runFunc) Run(ctx context.Context, in gateway.Invocation) (gateway.Output, error) {
	return f(ctx, in)
}

// TestProviders checks every kind of response of a provider.
func TestProviders(t *testing.T) {
	shortrun.OneGoroutine(t)
	says := func(text string) runFunc {
		return func(context.Context, gateway.Invocation) (gateway.Output, error) { return object(text), nil }
	}
	fails := func(err error) runFunc {
		return func(context.Context, gateway.Invocation) (gateway.Output, error) { return gateway.Output{}, err }
	}
	hangs := runFunc(func(ctx context.Context, _ gateway.Invocation) (gateway.Output, error) {
		<-ctx.Done()
		return gateway.Output{}, ctx.Err()
	})
	for name, tt := range map[string]struct {
		provider gateway.Provider
		want     gateway.Code
	}{
		"object":     {says(" {\"a\":1}\n"), ""},
		"list":       {says(`[1]`), gateway.CodeProvider},
		"broken":     {says(`{"a":`), gateway.CodeProvider},
		"nothing":    {says(""), gateway.CodeProvider},
		"huge":       {says(`{"a":"` + strings.Repeat("x", gateway.MaxOutput) + `"}`), gateway.CodeProvider},
		"own code":   {fails(&gateway.Error{Code: "no_such_city", Message: "No."}), "no_such_city"},
		"own words":  {fails(errors.New("the wire is cut\x1b[2J")), gateway.CodeProvider},
		"never":      {hangs, gateway.CodeTimeout},
		"not at all": {nil, gateway.CodeNotConnected},
	} {
		t.Run(name, func(t *testing.T) {
			w := open(t, func(c *gateway.Config) {
				c.RunFor = time.Hour // no timeout on a busy machine
				if name == "never" {
					c.RunFor = 20 * time.Millisecond
				}
				c.Providers = map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: tt.provider}
			}, action("get_weather", nil))
			_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
			if tt.want == "" && err != nil {
				t.Fatal(err)
			}
			if tt.want != "" {
				if e := refusal(t, err, tt.want); strings.Contains(e.Message, "\x1b") {
					t.Errorf("the message holds an escape: %q", e.Message)
				}
			}
			calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1})
			if err != nil || calls[0].Outcome == nil || calls[0].Outcome.Code != tt.want || calls[0].Nth != 1 {
				t.Errorf("the audit has %+v, %v", calls[0], err)
			}
		})
	}
}

// TestCallerGoesAway checks that the outcome is recorded although the caller has disconnected.
func TestCallerGoesAway(t *testing.T) {
	shortrun.OneGoroutine(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := open(t, func(c *gateway.Config) {
		c.Providers[registry.ProviderBuiltin] = runFunc(func(ctx context.Context, _ gateway.Invocation) (gateway.Output, error) {
			cancel()
			<-ctx.Done()
			return gateway.Output{}, ctx.Err()
		})
	}, action("get_weather", nil))
	if _, err := w.Execute(ctx, caller(), request("get_weather", "{}")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1, Code: gateway.CodeCanceled})
	if err != nil || len(calls) != 1 {
		t.Errorf("the audit has %+v, %v", calls, err)
	}
}

// deafLedger is a ledger that cannot begin a transaction, or cannot write in one, as if the disk were full.
type deafLedger struct {
	gateway.Ledger
	full bool // the transaction begins, and writes in it fail
}

var errDisk = errors.New("the disk is full")

type deafWriter struct{ gateway.CallWriter }

func (deafWriter) AddCall(context.Context, gateway.Call) error               { return errDisk }
func (deafWriter) AddOutcome(context.Context, string, gateway.Outcome) error { return errDisk }

func (d deafLedger) Log(ctx context.Context, fn func(gateway.LedgerTx) error) error {
	if !d.full {
		return errDisk
	}
	return d.Ledger.Log(ctx, func(tx gateway.LedgerTx) error {
		tx.CallWriter = deafWriter{tx.CallWriter}
		return fn(tx)
	})
}

// TestFailingLog checks that a log that fails does not stop calls and does not disable gates.
func TestFailingLog(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, full := range []bool{false, true} {
		w := open(t, func(c *gateway.Config) { c.Ledger = deafLedger{c.Ledger, full} },
			action("get_weather", nil), action("get_climate", limitedTo(0, 5)))
		res, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
		if err != nil || len(res.Warnings) != 2 || len(w.warnings) != 2 || w.provider.runs.Load() != 1 {
			t.Errorf("got %+v, %v; warnings %q", res, err, w.warnings)
		}
		if _, err := w.Execute(t.Context(), caller(), request("get_climate", "{}")); !errors.Is(err, errDisk) || w.provider.runs.Load() != 1 {
			t.Errorf("a limit that cannot be counted: %v", err)
		}
		_, err = w.Execute(t.Context(), caller(), request("get_wether", "{}"))
		refusal(t, err, gateway.CodeUnknown)
	}
}

// TestCallsByPages reads the audit log page by page.
func TestCallsByPages(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", nil))
	other := caller()
	other.User = "bob"
	for i := range 7 {
		c := caller()
		if i%2 == 1 {
			c = other
		}
		if _, err := w.Execute(t.Context(), c, request("get_weather", "{}")); err != nil {
			t.Fatal(err)
		}
	}
	_, err := w.Execute(t.Context(), caller(), request("nothing", "{}"))
	refusal(t, err, gateway.CodeUnknown)
	for code, want := range map[gateway.Code][]int64{"": {8, 7, 6, 5, 4, 3, 2, 1}, gateway.CodeOK: {7, 6, 5, 4, 3, 2, 1}} {
		var seen []int64
		for q := (gateway.CallQuery{Limit: 3, Code: code}); ; {
			page, err := w.Calls(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range page {
				seen = append(seen, c.Seq)
			}
			if len(page) < q.Limit {
				break
			}
			q.Before = page[len(page)-1].Seq
		}
		if !slices.Equal(seen, want) {
			t.Errorf("the pages of %q have %v", code, seen)
		}
	}
	for want, q := range map[int]gateway.CallQuery{
		3: {User: "bob"}, 7: {Tool: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_weather"}}, 1: {Code: gateway.CodeUnknown},
		8: {Agent: "scout"}, 0: {Agent: "nobody"}, 4: {User: "ada", Code: gateway.CodeOK},
	} {
		q.Limit = 100
		if page, err := w.Calls(t.Context(), q); err != nil || len(page) != want {
			t.Errorf("%+v has %d, %v; want %d", q, len(page), err, want)
		}
	}
}
