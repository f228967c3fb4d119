package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
)

// answers is a provider that returns the next of its answers in each run.
type answers []struct {
	output gateway.Output
	err    error
}

func (a *answers) Run(context.Context, gateway.Invocation) (gateway.Output, error) {
	next := (*a)[0]
	*a = (*a)[1:]
	return next.output, next.err
}

// TestOutcomeInTheAudit checks that the audit log stores the hash, the size and the message of a provider's response
// (C32), and the provider's id of a call that waits there (C2).
func TestOutcomeInTheAudit(t *testing.T) {
	shortrun.OneGoroutine(t)
	provider := &answers{
		{output: gateway.Output{Object: json.RawMessage(`{"message":"Sent to\u0007 Anna."}`)}},
		{output: gateway.Output{Object: json.RawMessage(`{"a":1}`), Answer: json.RawMessage(`{"message":"From the cache."}`)}},
		{output: object(`{"message":7}`)},
		{err: &gateway.Error{Code: gateway.CodeProviderApproval, Message: "It waits. " + strings.Repeat("x", 600), ApprovalRequest: "ap1"}},
	}
	w := open(t, func(c *gateway.Config) { c.Providers[registry.ProviderBuiltin] = provider }, action("get_weather", nil))
	for _, want := range []gateway.Outcome{
		{OutputHash: registry.HashBytes([]byte(`{"message":"Sent to\u0007 Anna."}`)), OutputBytes: 33, Message: "Sent to⟨U+0007⟩ Anna."},
		{OutputHash: registry.HashBytes([]byte(`{"a":1}`)), OutputBytes: 7, Message: "From the cache."},
		{OutputHash: registry.HashBytes([]byte(`{"message":7}`)), OutputBytes: 13},
		{Code: gateway.CodeProviderApproval, Message: "It waits. " + strings.Repeat("x", 490) + "…", ApprovalRequest: "ap1"},
	} {
		_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
		if refusalOf(err).Code != want.Code {
			t.Fatalf("got %v; want %s", err, want.Code)
		}
		calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		got := *calls[0].Outcome
		if got.Code != want.Code || got.OutputHash != want.OutputHash || got.OutputBytes != want.OutputBytes || got.Message != want.Message || got.ApprovalRequest != want.ApprovalRequest {
			t.Errorf("the audit has %+v; want %+v", got, want)
		}
	}
}

// TestCallsThatDidNotRunDoNotCount checks that only calls that certainly did not run are not counted against the
// daily limit (C14).
func TestCallsThatDidNotRunDoNotCount(t *testing.T) {
	shortrun.OneGoroutine(t)
	failed := func(notRun bool) struct {
		output gateway.Output
		err    error
	} {
		return struct {
			output gateway.Output
			err    error
		}{err: &gateway.Error{Code: gateway.CodeUnavailable, Message: "Gone.", NotRun: notRun}}
	}
	provider := &answers{failed(true), failed(true), failed(false), failed(true), {output: object(`{}`)}}
	w := open(t, func(c *gateway.Config) { c.Providers[registry.ProviderBuiltin] = provider },
		action("get_weather", func(tool *registry.Tool) { tool.Limits = &registry.Limits{DailyLimit: 2} }))
	for i, want := range []gateway.Code{
		gateway.CodeUnavailable, gateway.CodeUnavailable, gateway.CodeUnavailable, gateway.CodeUnavailable, "", gateway.CodeDailyLimit,
	} {
		_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
		if e := refusalOf(err); e.Code != want {
			t.Fatalf("call %d: got %v; want %q", i+1, err, want)
		}
	}
}

// TestCallContextReachesGateAndProvider checks that the caller's description of a call is passed on, also if the call
// first waits for the user, who can see it (C9).
func TestCallContextReachesGateAndProvider(t *testing.T) {
	shortrun.OneGoroutine(t)
	var asked gateway.Invocation
	gate := gateFunc(func(_ context.Context, in gateway.Invocation) (gateway.GateAnswer, error) {
		asked = in
		return gateway.GateAnswer{Approved: true}, nil
	})
	w := open(t, func(c *gateway.Config) { c.Gate = gate }, action("get_weather", func(tool *registry.Tool) {
		tool.RequiresGate, tool.Approval = true, &registry.Approval{Tier: registry.RequiresApproval}
	}))
	said := gateway.CallContext{UserMessage: "Rain?", MissionID: "m1", Confidence: json.RawMessage("0.5"), Context: json.RawMessage(`{"a":[1]}`)}
	r := request("get_weather", "{}")
	r.CallContext = said
	_, err := w.Execute(t.Context(), caller(), r)
	waits := refusal(t, err, gateway.CodeApprovalRequired)
	pending, err := w.PendingCall(t.Context(), waits.Pending)
	if err != nil || string(pending.CallContext.Encode()) != string(said.Encode()) {
		t.Fatalf("the user is shown %s, %v; want %s", pending.CallContext.Encode(), err, said.Encode())
	}
	r.CallContext.UserMessage = "Sun?" // the same call: the user is not asked twice
	_, err = w.Execute(t.Context(), caller(), r)
	if again := refusal(t, err, gateway.CodeApprovalRequired); again.Pending != waits.Pending {
		t.Errorf("it is asked about twice: %s, %s", waits.Pending, again.Pending)
	}
	if _, err := w.Approve(t.Context(), ada, waits.Pending, pending.Digest); err != nil {
		t.Fatal(err)
	}
	for who, in := range map[string]gateway.Invocation{"gate": asked, "provider": *w.provider.last.Load()} {
		if string(in.CallContext.Encode()) != string(said.Encode()) || in.Tier != registry.RequiresApproval || in.Nth != 1 {
			t.Errorf("the %s gets %s, tier %s, number %d", who, in.CallContext.Encode(), in.Tier, in.Nth)
		}
	}
}

// TestCallContextIsLimited checks that the service refuses call contexts that are too large or malformed.
func TestCallContextIsLimited(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", nil))
	for _, said := range []gateway.CallContext{
		{UserMessage: strings.Repeat("x", 16_001)},
		{ChatID: strings.Repeat("x", 201)},
		{Confidence: json.RawMessage("1.1")},
		{Confidence: json.RawMessage(`"high"`)},
		{Context: json.RawMessage(`[]`)},
		{Context: json.RawMessage(`{"a":"` + strings.Repeat("x", gateway.MaxCallContext) + `"}`)},
		{Context: json.RawMessage(strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40))},
	} {
		_, err := w.Execute(t.Context(), caller(), gateway.Request{Tool: "get_weather", CallContext: said})
		refusal(t, err, gateway.CodeArguments)
	}
	if n := w.provider.runs.Load(); n != 0 {
		t.Errorf("%d of them ran", n)
	}
	for _, text := range []string{`[]`, `{"chat":"x"}`, `{"chat_id":1}`, `{"confidence":-1}`, `{"context":1}`, `{"chat_id":"a","chat_id":"b"}`} {
		if c, err := gateway.ParseCallContext(json.RawMessage(text)); err == nil {
			t.Errorf("%s reads as %+v", text, c)
		}
	}
}
