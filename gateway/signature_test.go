package gateway_test

import (
	"errors"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/signingtest"
	"toolcrib/store/ranking"
	"toolcrib/store/storetest"
)

// signedCalls is a gateway in which the user's answers are signed.
type signedCalls struct {
	*storetest.Signing
	*testing.T
	gateway  *gateway.Gateway
	provider *counter
	caller   gateway.Caller
}

func openSignedCalls(t *testing.T) signedCalls {
	t.Helper()
	s := storetest.StartSigning(t, storetest.New(t), review.Policy{Severities: storetest.BasicSeverities()}, ada)
	desk := s.Desk(t, s.Policy)
	tool := storetest.Action("get_climate")
	tool.Definition.Tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	tool.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderBuiltin}
	agent := storetest.Agent("scout")
	agent.Definition.Agent.AllowList = &registry.AllowList{Tools: []string{"get_climate"}}
	s.ApproveSigned(t, desk, ada, tool, agent)
	x := signedCalls{Signing: s, T: t, provider: &counter{}, caller: gateway.Caller{Actor: scout, Agent: "scout", Layer: registry.LayerUser, User: "ada"}}
	index := ranking.NewIndex()
	t.Cleanup(func() { _ = index.Close() })
	var err error
	x.gateway, err = gateway.New(gateway.Config{
		Ledger: s.Calls(), Index: index, Signatures: s.Policy.Signatures, Now: s.Clock.Now, NewID: s.NewID,
		Providers: map[registry.ProviderType]gateway.Provider{registry.ProviderBuiltin: x.provider},
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ask makes a call that requires approval and returns its id.
func (x signedCalls) ask() string {
	x.Helper()
	_, err := x.gateway.Execute(x.Context(), x.caller, gateway.Request{Tool: "get_climate"})
	var refused *gateway.Error
	if !errors.As(err, &refused) || refused.Code != gateway.CodeApprovalRequired {
		x.Fatalf("it does not wait: %v", err)
	}
	return refused.Pending
}

func (x signedCalls) prepare(id string, approve bool, reason string) proof.Signed {
	x.Helper()
	prepared, err := x.gateway.PrepareAnswer(x.Context(), ada, id, "", approve, reason)
	if err != nil {
		x.Fatal(err)
	}
	return x.Sign(x, ada, prepared)
}

// whole verifies the signatures and their numbers.
func (x signedCalls) whole(signed, unsigned int64) {
	x.Helper()
	report, err := x.CheckSignatures(x.Context())
	if err != nil || report.Signed != signed || report.Unsigned != unsigned || report.Invalid+report.UnknownKey+report.RevokedKey > 0 {
		x.Errorf("the report is %+v, %v; want %d signed and %d unsigned", report, err, signed, unsigned)
	}
}

// TestSignedAnswers approves and rejects calls with and without signatures.
func TestSignedAnswers(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openSignedCalls(t)
	id := x.ask()
	if _, err := x.gateway.Approve(t.Context(), ada, id, ""); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("unsigned yes: %v", err)
	}
	if _, err := x.gateway.Refuse(t.Context(), ada, id, "No."); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("unsigned no: %v", err)
	}
	yes, no := x.prepare(id, true, ""), x.prepare(id, false, "No.")
	if _, err := x.gateway.Signed(no).Approve(t.Context(), ada, id, ""); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("a no as a yes: %v", err)
	}
	if _, err := x.gateway.Signed(no).Refuse(t.Context(), ada, id, "Never."); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("another reason: %v", err)
	}
	if n := x.provider.runs.Load(); n != 0 {
		t.Fatalf("it ran %d times", n)
	}
	if _, err := x.gateway.Signed(yes).Approve(t.Context(), ada, id, ""); err != nil {
		t.Fatal(err)
	}
	if n := x.provider.runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	next := x.ask()
	if _, err := x.gateway.Signed(yes).Approve(t.Context(), ada, next, ""); err == nil {
		t.Error("an answer was used for another call")
	}
	if _, err := x.gateway.Signed(x.prepare(next, false, "No.")).Refuse(t.Context(), ada, next, "No."); err != nil {
		t.Error(err)
	}
	x.whole(4, 0) // two versions and two answers
}

// TestSignedTiers sets a tier. If another one is written into the database without a signature, the tool must ask.
func TestSignedTiers(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openSignedCalls(t)
	if _, err := x.gateway.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("unsigned: %v", err)
	}
	forged := gateway.Override{ID: x.NewID(), User: "ada", Tool: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_climate"}, Tier: registry.AutoApprove, By: ada, At: x.Clock.Now()}
	if err := x.Calls().Durable(t.Context(), func(tx gateway.LedgerTx) error { return tx.AddOverride(t.Context(), forged) }); err != nil {
		t.Fatal(err)
	}
	x.ask()
	prepared, err := x.gateway.PrepareTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: registry.AutoApprove})
	if err != nil {
		t.Fatal(err)
	}
	signed := x.Sign(t, ada, prepared)
	if _, err := x.gateway.Signed(signed).SetTiers(t.Context(), ada, gateway.TierChoice{User: "bob", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("for another user: %v", err)
	}
	if _, err := x.gateway.Signed(signed).SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.gateway.Execute(t.Context(), x.caller, gateway.Request{Tool: "get_climate"}); err != nil {
		t.Errorf("with the signed tier: %v", err)
	}
	x.whole(3, 1)
}

// TestSignedTierCannotBeUndone sets and removes a tier, with signatures, and then deletes one or both rows from
// call_tiers. The tool must ask (S21).
func TestSignedTierCannotBeUndone(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openSignedCalls(t)
	for _, tier := range []registry.ApprovalTier{registry.AutoApprove, registry.RequiresApproval} {
		choice := gateway.TierChoice{User: "ada", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: tier}
		prepared, err := x.gateway.PrepareTiers(t.Context(), ada, choice)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.gateway.Signed(x.Sign(t, ada, prepared)).SetTiers(t.Context(), ada, choice); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := x.RawDB(t).Unlocked(t.Context(), "DELETE FROM call_tiers WHERE seq = (SELECT max(seq) FROM call_tiers)"); err != nil {
			t.Fatal(err)
		}
		var tier registry.ApprovalTier
		err := x.Calls().View(t.Context(), func(r gateway.LedgerReader) (err error) {
			tier, err = r.Override(t.Context(), "ada", registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_climate"})
			return err
		})
		if err != nil || tier != registry.RequiresApproval {
			t.Errorf("tier %q, %v", tier, err)
		}
	}
	x.ask()
}

// TestSignedTiersInBulk signs one statement for several tools. It must not cover other tools, tiers or users.
func TestSignedTiersInBulk(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openSignedCalls(t)
	tool, agent := storetest.Action("get_weather"), storetest.Agent("sailor")
	tool.Definition.Tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	tool.Definition.Tool.Provider = &registry.Provider{Type: registry.ProviderBuiltin}
	agent.Definition.Agent.AllowList = &registry.AllowList{Tools: []string{"get_climate", "get_weather"}}
	x.ApproveSigned(t, x.Desk(t, x.Policy), ada, tool, agent)
	x.caller.Agent = "sailor"
	choice := gateway.TierChoice{User: "ada", Tools: []string{"get_climate", "get_weather"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}
	prepared, err := x.gateway.PrepareTiers(t.Context(), ada, choice)
	if err != nil {
		t.Fatal(err)
	}
	signed := x.Sign(t, ada, prepared)
	fewer := choice
	fewer.Tools = fewer.Tools[:1]
	if _, err := x.gateway.Signed(signed).SetTiers(t.Context(), ada, fewer); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("of fewer tools: %v", err)
	}
	got, err := x.gateway.Signed(signed).SetTiers(t.Context(), ada, choice)
	if err != nil || len(got.Set) != 2 || got.Set[0].Signature == "" || got.Set[0].Signature != got.Set[1].Signature {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, tool := range choice.Tools {
		if _, err := x.gateway.Execute(t.Context(), x.caller, gateway.Request{Tool: tool}); err != nil {
			t.Errorf("%s: %v", tool, err)
		}
	}
	forged := got.Set[0]
	forged.ID, forged.User = x.NewID(), "bob"
	if err := x.Calls().Durable(t.Context(), func(tx gateway.LedgerTx) error { return tx.AddOverride(t.Context(), forged) }); err != nil {
		t.Fatal(err)
	}
	if list, err := x.gateway.Overrides(t.Context(), "bob"); err != nil || len(list) != 1 || list[0].Tier != registry.RequiresApproval {
		t.Errorf("with the statement about another user: %+v, %v", list, err)
	}
}

// TestRevocationReachesRunningGateways revokes the key that signed a tool while a gateway that has loaded it is
// running.
func TestRevocationReachesRunningGateways(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := openSignedCalls(t)
	bob := proposals.Actor{Kind: proposals.User, Name: "bob"}
	x.Keys[bob] = signingtest.NewKey(t, "ed25519")
	x.SetSigners(t, x.Line(ada), x.Line(bob))
	desk := x.Desk(t, x.Policy)
	x.Change(t, desk, ada)
	x.ask()
	x.SetSigners(t, x.Line(bob))
	if _, err := x.gateway.Execute(t.Context(), x.caller, gateway.Request{Tool: "get_climate"}); err == nil || gatewayCode(err) == gateway.CodeApprovalRequired {
		t.Errorf("after the file changed it answers %v", err)
	}
	x.Change(t, desk, bob)
	if _, err := x.gateway.Execute(t.Context(), x.caller, gateway.Request{Tool: "get_climate"}); err == nil || gatewayCode(err) == gateway.CodeApprovalRequired {
		t.Errorf("after the revocation it answers %v", err)
	}
	if n := x.provider.runs.Load(); n != 0 {
		t.Errorf("it ran %d times", n)
	}
}

func gatewayCode(err error) gateway.Code {
	var refused *gateway.Error
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}
