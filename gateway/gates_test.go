package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"toolcrib/gateway"
	"toolcrib/registry"
)

// gateFunc is an eval gate implemented by a function.
type gateFunc func(context.Context, gateway.Invocation) (gateway.GateAnswer, error)

func (f gateFunc) Ask(ctx context.Context, in gateway.Invocation) (gateway.GateAnswer, error) {
	return f(ctx, in)
}

func yes(context.Context, gateway.Invocation) (gateway.GateAnswer, error) {
	return gateway.GateAnswer{Approved: true}, nil
}

func no(context.Context, gateway.Invocation) (gateway.GateAnswer, error) {
	return gateway.GateAnswer{Reason: "not on a Sunday"}, nil
}

func broken(context.Context, gateway.Invocation) (gateway.GateAnswer, error) {
	return gateway.GateAnswer{Approved: true}, errors.New("out of order")
}

// late is a gate that answers after the call was canceled.
func late(ctx context.Context, _ gateway.Invocation) (gateway.GateAnswer, error) {
	<-ctx.Done()
	return gateway.GateAnswer{Approved: true}, nil
}

// deaf returns a gate that ignores cancellation.
func deaf(block chan struct{}) gateFunc {
	return func(context.Context, gateway.Invocation) (gateway.GateAnswer, error) {
		<-block
		return gateway.GateAnswer{Approved: true}, nil
	}
}

// TestGatesInOrder makes a call that every gate refuses and removes the reasons one by one. The gates must refuse in
// order, and the provider must not be called before all of them allow it.
func TestGatesInOrder(t *testing.T) {
	w := open(t, func(c *gateway.Config) { c.Gate, c.PendingFor = gateFunc(no), time.Hour }, action("get_weather", nil))
	strict := func(tier registry.ApprovalTier, cooldown, daily int, gate bool) registry.Tool {
		return action("get_weather", func(tool *registry.Tool) {
			tool.Approval = &registry.Approval{Tier: tier}
			tool.Limits = &registry.Limits{CooldownSeconds: cooldown, DailyLimit: daily}
			tool.RequiresGate = gate
			tool.Provider.Type = registry.ProviderHTTP // no provider of this type is connected
			tool.Provider.URL = "http://hub.invalid/"
		})
	}
	// One call that counts for the cooldown and the limit.
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", `{}`)); err != nil {
		t.Fatal(err)
	}
	stranger := caller()
	stranger.Agent = "assistant"
	steps := []struct {
		name   string
		change func() // removes the previous reason
		caller gateway.Caller
		call   gateway.Request
		want   gateway.Code
	}{
		{"registered", func() { w.approve(t, strict(registry.RequiresApproval, 1000, 1, true)) }, stranger, request("get_whether", `[]`), gateway.CodeUnknown},
		{"allowed", nil, stranger, request("get_weather", `[]`), gateway.CodeNotAllowed},
		{"arguments", nil, caller(), request("get_weather", `[]`), gateway.CodeArguments},
		{"approval", nil, caller(), request("get_weather", `{}`), gateway.CodeApprovalRequired},
		{"cooldown", func() { w.approve(t, strict(registry.AutoApprove, 1000, 1, true)) }, caller(), request("get_weather", `{}`), gateway.CodeCooldown},
		{"daily limit", func() { w.db.Clock.Forward(2000 * time.Second) }, caller(), request("get_weather", `{}`), gateway.CodeDailyLimit},
		{"eval gate", func() { w.db.Clock.Forward(24 * time.Hour) }, caller(), request("get_weather", `{}`), gateway.CodeGateRefused},
		{"provider", func() { w.approve(t, strict(registry.AutoApprove, 0, 0, false)) }, caller(), request("get_weather", `{}`), gateway.CodeNotConnected},
	}
	for i, step := range steps {
		if step.change != nil {
			step.change()
		}
		_, err := w.Execute(t.Context(), step.caller, step.call)
		refusal(t, err, step.want)
		calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 100})
		if err != nil || len(calls) != i+2 || calls[0].Outcome == nil || calls[0].Outcome.Code != step.want {
			t.Fatalf("%s: the audit has %d calls, the last is %+v, %v", step.name, len(calls), calls[0], err)
		}
	}
	if n := w.provider.runs.Load(); n != 1 {
		t.Errorf("the provider ran %d times; want 1", n)
	}
}

// TestNames checks that tools are found by id, alias and wire name, and that a wire name used by two servers refers
// to two tools.
func TestNames(t *testing.T) {
	served := func(id, server string) registry.Tool {
		return action(id, func(tool *registry.Tool) {
			tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: "Get-Weather.v2"}
		})
	}
	old := action("get_climate", func(tool *registry.Tool) { tool.Aliases = []string{"get_average_weather"} })
	w := open(t, nil, served("north_get_weather", "north"), old)
	for name, want := range map[string]string{
		"get_climate": "get_climate", "get_average_weather": "get_climate", "north_get_weather": "north_get_weather", "Get-Weather.v2": "north_get_weather",
	} {
		d, err := w.Describe(t.Context(), caller(), name)
		if err != nil || d.Tool.Subject.ID != want {
			t.Errorf("%s is %v, %v; want %s", name, d.Tool.Subject, err, want)
		}
	}
	_, err := w.Describe(t.Context(), caller(), "get-weather.v2")
	refusal(t, err, gateway.CodeUnknown)

	// The same wire name on a server that scout does not have changes nothing.
	w.approve(t, served("south_get_weather", "south"))
	if d, err := w.Describe(t.Context(), caller(), "Get-Weather.v2"); err != nil || d.Tool.Subject.ID != "north_get_weather" {
		t.Errorf("got %v, %v", d.Tool.Subject, err)
	}
	w.allow(t, "north_get_weather", "south_get_weather")
	_, err = w.Describe(t.Context(), caller(), "Get-Weather.v2")
	e := refusal(t, err, gateway.CodeAmbiguous)
	if string(e.Details) != `{"ids":["north_get_weather","south_get_weather"]}` {
		t.Errorf("the details are %s", e.Details)
	}
	_, err = w.Execute(t.Context(), caller(), request("Get-Weather.v2", "{}"))
	refusal(t, err, gateway.CodeAmbiguous)
	if d, err := w.Describe(t.Context(), caller(), "south_get_weather"); err != nil || d.Tool.Subject.ID != "south_get_weather" {
		t.Errorf("got %v, %v", d.Tool.Subject, err)
	}

	// Refusals of retired names contain the successor, and those of prompt tools that there is nothing to run.
	_, err = w.Execute(t.Context(), caller(), request("create_task", "{}"))
	refusal(t, err, gateway.CodeUnknown)
	if want := `No active tool is called "create_task"; this name is retired, and the successor of the tool is create_tasks.`; err.Error() != want {
		t.Errorf("got %q; want %q", err, want)
	}
	w.allow(t, "line_editor")
	_, err = w.Execute(t.Context(), caller(), request("line_editor", "{}"))
	refusal(t, err, gateway.CodeNotCallable)
}

// TestArguments checks that arguments are validated against the approved schema and that all errors are listed.
func TestArguments(t *testing.T) {
	w := open(t, nil, action("get_weather", nil))
	for _, args := range []string{
		`[]`, `null`, `"x"`, `{`, `{"city":1}`, `{"town":"Kiel"}`, `{"days":1.5}`, `{"city":"a","city":"b"}`, `{"city":"` + fmt.Sprint(make([]int, 30)) + `"}`, "{\"city\":\"\xff\"}",
	} {
		_, err := w.Execute(t.Context(), caller(), request("get_weather", args))
		e := refusal(t, err, gateway.CodeArguments)
		var details struct {
			Problems []struct{ Path, Message string }
		}
		if err := json.Unmarshal(e.Details, &details); err != nil || len(details.Problems) == 0 || details.Problems[0].Message == "" {
			t.Errorf("%s: the details are %s, %v", args, e.Details, err)
		}
	}
	if n := w.provider.runs.Load(); n != 0 {
		t.Errorf("the provider ran %d times", n)
	}
	if _, err := w.Execute(t.Context(), caller(), gateway.Request{Tool: "get_weather"}); err != nil {
		t.Errorf("no arguments: %v", err)
	}
	if string(w.provider.last.Load().Args) != "{}" {
		t.Errorf("the provider got %s", w.provider.last.Load().Args)
	}
}

// TestEvalGate checks whether a call runs for each possible behavior of a gate.
func TestEvalGate(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	destructive := func(tool *registry.Tool) { yes := true; tool.Annotations = &registry.Annotations{Destructive: &yes} }
	asking := func(tool *registry.Tool) { tool.Approval = nil }
	plain := func(*registry.Tool) {}
	tests := []struct {
		name    string
		gate    gateway.Gate
		closed  bool
		change  func(*registry.Tool)
		want    gateway.Code // empty if the call runs
		warning bool
	}{
		{"yes", gateFunc(yes), true, destructive, "", false},
		{"no", gateFunc(no), false, plain, gateway.CodeGateRefused, false},
		{"broken", gateFunc(broken), false, plain, "", true},
		{"late", gateFunc(late), false, plain, "", true},
		{"deaf", deaf(block), false, plain, "", true},
		{"none", nil, false, plain, "", true},
		{"broken, closed", gateFunc(broken), true, plain, gateway.CodeGateUnavailable, false},
		{"none, closed", nil, true, plain, gateway.CodeGateUnavailable, false},
		{"broken, destructive", gateFunc(broken), false, destructive, gateway.CodeGateUnavailable, false},
		{"late, destructive", gateFunc(late), false, destructive, gateway.CodeGateUnavailable, false},
		{"broken, approved by the user", gateFunc(broken), false, asking, gateway.CodeGateUnavailable, false},
		{"yes, approved by the user", gateFunc(yes), false, asking, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			timeout := time.Hour // no timeout on a busy machine
			if strings.HasPrefix(tt.name, "late") || tt.name == "deaf" {
				timeout = 20 * time.Millisecond
			}
			w := open(t, func(c *gateway.Config) { c.Gate, c.GateClosed, c.GateTimeout = tt.gate, tt.closed, timeout },
				action("get_weather", func(tool *registry.Tool) { tool.RequiresGate = true; tt.change(tool) }))
			res, err := w.Execute(t.Context(), caller(), request("get_weather", `{}`))
			var e *gateway.Error
			if errors.As(err, &e) && e.Code == gateway.CodeApprovalRequired {
				res, err = w.Approve(t.Context(), ada, e.Pending, "")
			}
			if tt.want != "" {
				refusal(t, err, tt.want)
				if n := w.provider.runs.Load(); n != 0 {
					t.Errorf("the provider ran")
				}
				return
			}
			if err != nil || (len(res.Warnings) > 0) != tt.warning || (len(w.warnings) > 0) != tt.warning {
				t.Errorf("got %+v, %v; warnings %q", res, err, w.warnings)
			}
		})
	}
}

// TestGateIsAskedOnlyWhereRequired checks that the gate is not asked about tools that do not require it.
func TestGateIsAskedOnlyWhereRequired(t *testing.T) {
	w := open(t, func(c *gateway.Config) { c.Gate = gateFunc(no) }, action("get_weather", nil))
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", `{}`)); err != nil {
		t.Error(err)
	}
}
