package gateway_test

import (
	"errors"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

// TestConfirmationAsks checks that a tool that requires confirmation asks the user before every call, regardless of
// approval tiers (C23).
func TestConfirmationAsks(t *testing.T) {
	shortrun.OneGoroutine(t)
	confirm := true
	for _, approval := range []registry.Approval{{Tier: registry.AutoApprove}, {Tier: registry.UserConfigurable, Default: registry.AutoApprove}} {
		w := open(t, nil, action("get_weather", func(tool *registry.Tool) {
			tool.Annotations, tool.Approval = &registry.Annotations{RequiresConfirmation: &confirm}, &approval
		}))
		if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s: the confirmation was switched off: %v", approval.Tier, err)
		}
		if d, err := w.Describe(t.Context(), caller(), "get_weather"); err != nil || d.Approval != registry.RequiresApproval {
			t.Errorf("%s: it says %s, %v", approval.Tier, d.Approval, err)
		}
		d, err := w.Describe(t.Context(), caller(), "get_weather")
		if err != nil {
			t.Fatal(err)
		}
		err = w.db.Calls().Log(t.Context(), func(tx gateway.LedgerTx) error { // the database enforces it, too
			return tx.AddCall(t.Context(), gateway.Call{
				ID: w.db.NewID(), At: w.db.Clock.Now(), Caller: caller(), Name: "get_weather", Tool: d.Tool.Subject, Version: d.Tool.Version, ContentHash: d.Tool.ContentHash, Nth: 1,
			})
		})
		if !errors.Is(err, gateway.ErrContradiction) {
			t.Errorf("%s: the database took a call that nobody confirmed: %v", approval.Tier, err)
		}
		_, err = w.Execute(t.Context(), caller(), request("get_weather", "{}"))
		waits := refusal(t, err, gateway.CodeApprovalRequired)
		if _, err := w.Approve(t.Context(), ada, waits.Pending, ""); err != nil || w.provider.runs.Load() != 1 {
			t.Errorf("%s: %v after the yes, %d runs", approval.Tier, err, w.provider.runs.Load())
		}
	}
}

// TestCategoryImplies checks that a tool of the category terminal without annotations counts as destructive, both for
// the eval gate and in the audit log, which can be filtered by this hint and can be configured to store no hints
// (C21).
func TestCategoryImplies(t *testing.T) {
	shortrun.OneGoroutine(t)
	harmless := false
	silent := action("get_weather", func(tool *registry.Tool) { tool.Category, tool.RequiresGate, tool.Annotations = "terminal", true, nil })
	stated := action("get_tides", func(tool *registry.Tool) {
		tool.Category, tool.RequiresGate, tool.Annotations = "terminal", true, &registry.Annotations{Destructive: &harmless}
	})
	w := open(t, func(c *gateway.Config) { c.Gate = gateFunc(broken) }, silent, stated)
	_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
	refusal(t, err, gateway.CodeGateUnavailable)
	if _, err := w.Execute(t.Context(), caller(), request("get_tides", "{}")); err != nil {
		t.Error(err)
	}
	calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 9, Hint: "destructive"})
	if err != nil || len(calls) != 1 || calls[0].Tool.ID != "get_weather" || calls[0].Annotations == nil || !*calls[0].Annotations.Destructive {
		t.Errorf("the destructive ones are %+v, %v", calls, err)
	}
	w = open(t, func(c *gateway.Config) { c.NoHints = true }, stated)
	if _, err := w.Execute(t.Context(), caller(), request("get_tides", "{}")); err != nil {
		t.Error(err)
	}
	calls, err = w.Calls(t.Context(), gateway.CallQuery{Limit: 9})
	if err != nil || len(calls) != 1 || calls[0].Annotations != nil {
		t.Errorf("the audit keeps %+v, %v", calls, err)
	}
}
