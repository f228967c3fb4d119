package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/records"
	"toolcrib/store/storetest"
)

// TestOnlyTheUserAnswers checks that only users can approve, reject and choose tiers, both through the gateway and
// directly in the database.
func TestOnlyTheUserAnswers(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", asking), action("get_climate", func(tool *registry.Tool) {
		tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	}))
	p := w.ask(t, "{}")
	for _, actor := range []proposals.Actor{scout, {Kind: proposals.Chief, Name: "desk"}, {Kind: proposals.System}, {}, {Kind: "USER", Name: "ada"}} {
		w.db.Unchanged(t, func() {
			if _, err := w.Approve(t.Context(), actor, p.ID, ""); !errors.Is(err, proposals.ErrAuthority) {
				t.Errorf("%q approves: %v", actor, err)
			}
			if _, err := w.Refuse(t.Context(), actor, p.ID, "No."); !errors.Is(err, proposals.ErrAuthority) {
				t.Errorf("%q refuses: %v", actor, err)
			}
			if _, err := w.Unsigned().SetTiers(t.Context(), actor, gateway.TierChoice{User: "ada", Tools: []string{"get_climate"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); !errors.Is(err, proposals.ErrAuthority) {
				t.Errorf("%q sets a tier: %v", actor, err)
			}
		})
	}
	// The database refuses writes that bypass the gateway.
	climate := w.named(t, "get_climate")[0]
	for name, write := range map[string]func(gateway.LedgerTx) error{
		"an answer by an agent": func(tx gateway.LedgerTx) error {
			return tx.AddAnswer(t.Context(), p.ID, gateway.Answer{ID: w.db.NewID(), Approved: true, Digest: p.Digest, By: scout, At: w.db.Clock.Now(), Call: w.db.NewID()})
		},
		"a tier by an agent": func(tx gateway.LedgerTx) error {
			return tx.AddOverride(t.Context(), gateway.Override{ID: w.db.NewID(), User: "ada", Tool: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "get_climate"}, Tier: registry.AutoApprove, By: scout, At: w.db.Clock.Now()})
		},
		"an answer to other arguments": func(tx gateway.LedgerTx) error {
			return tx.AddAnswer(t.Context(), p.ID, gateway.Answer{ID: w.db.NewID(), Approved: true, Digest: strings.Repeat("0", 64), By: ada, At: w.db.Clock.Now(), Call: w.db.NewID()})
		},
		"a call without a yes": func(tx gateway.LedgerTx) error {
			return tx.AddCall(t.Context(), gateway.Call{ID: w.db.NewID(), At: w.db.Clock.Now(), Caller: caller(), Tool: p.Tool, Version: 1, ContentHash: p.ContentHash, Nth: 1})
		},
		"a call that the default asks about": func(tx gateway.LedgerTx) error {
			return tx.AddCall(t.Context(), gateway.Call{ID: w.db.NewID(), At: w.db.Clock.Now(), Caller: caller(), Tool: climate.Subject, Version: 1, ContentHash: climate.ContentHash, Nth: 1})
		},
		"a call with a yes that nobody gave": func(tx gateway.LedgerTx) error {
			return tx.AddCall(t.Context(), gateway.Call{ID: w.db.NewID(), At: w.db.Clock.Now(), Caller: caller(), Tool: p.Tool, Version: 1, ContentHash: p.ContentHash, Nth: 1, Pending: p.ID})
		},
		"a call of what is not in force": func(tx gateway.LedgerTx) error {
			return tx.AddCall(t.Context(), gateway.Call{ID: w.db.NewID(), At: w.db.Clock.Now(), Caller: caller(), Tool: p.Tool, Version: 2, ContentHash: p.ContentHash, Nth: 1})
		},
	} {
		w.db.Unchanged(t, func() {
			if err := w.db.Calls().Durable(t.Context(), write); !errors.Is(err, gateway.ErrContradiction) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	for _, statement := range []string{
		"UPDATE pending_calls SET args = '{}'", "DELETE FROM pending_calls", "UPDATE calls SET actor = 'user:ada'", "DELETE FROM calls",
		"UPDATE call_outcomes SET code = ''", "DELETE FROM call_outcomes", "UPDATE pending_calls SET expires_at = '9999'",
	} {
		if err := w.db.SQL(t.Context(), statement); err == nil {
			t.Errorf("%s is let through", statement)
		}
	}
}

// TestTiers checks that users can choose a tier only if the tool's definition allows it.
func TestTiers(t *testing.T) {
	shortrun.OneGoroutine(t)
	configurable := func(tool *registry.Tool) {
		tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	}
	w := open(t, nil, action("get_weather", configurable), action("get_climate", asking), action("get_tides", nil))
	w.ask(t, "{}")
	if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Errorf("with the user's tier: %v", err)
	}
	bob := caller()
	bob.User = "bob"
	_, err := w.Execute(t.Context(), bob, request("get_weather", "{}"))
	refusal(t, err, gateway.CodeApprovalRequired)
	list, err := w.Overrides(t.Context(), "ada")
	if err != nil || len(list) != 1 || list[0].Tier != registry.AutoApprove || list[0].By != ada {
		t.Errorf("got %+v, %v", list, err)
	}
	for _, tool := range []string{"get_climate"} {
		if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{tool}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s: %v", tool, err)
		}
	}
	if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: "never"}); !errors.Is(err, review.ErrText) {
		t.Errorf("an unknown tier: %v", err)
	}
	if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: ""}); err != nil {
		t.Fatal(err)
	}
	w.ask(t, "{}")
	// A stored tier has no effect after the definition has stopped allowing a choice.
	if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: "ada", Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: registry.AutoApprove}); err != nil {
		t.Fatal(err)
	}
	w.approve(t, action("get_weather", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} }))
	w.ask(t, "{}")
	w.verify(t)
}

// TestTiersInBulk chooses the tiers of all tools of a server at once.
func TestTiersInBulk(t *testing.T) {
	shortrun.OneGoroutine(t)
	yes := true
	of := func(server string, a registry.Approval, hints registry.Annotations) func(*registry.Tool) {
		return func(tool *registry.Tool) {
			tool.Approval, tool.Annotations = &a, &hints
			tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: server, Name: tool.ID}
		}
	}
	asks := registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	runs := registry.Approval{Tier: registry.AutoApprove}
	fixed := registry.Approval{Tier: registry.RequiresApproval}
	w := open(
		t, func(c *gateway.Config) {
			c.Providers[registry.ProviderMCP] = c.Providers[registry.ProviderBuiltin]
		},
		action("get_weather", of("sky", asks, registry.Annotations{})), action("get_climate", of("sky", runs, registry.Annotations{ReadOnly: &yes})),
		action("delete_weather", of("sky", asks, registry.Annotations{Destructive: &yes})), action("get_storms", of("sky", fixed, registry.Annotations{})),
		action("get_tides", of("sea", asks, registry.Annotations{Destructive: &yes})),
	)
	choose := func(c gateway.TierChoice) (gateway.TierChange, error) {
		c.User, c.Layer = "ada", registry.LayerUser
		return w.Unsigned().SetTiers(t.Context(), ada, c)
	}
	names := func(list []gateway.Override) string {
		var ids []string
		for _, o := range list {
			ids = append(ids, o.Tool.ID)
		}
		return strings.Join(ids, " ")
	}
	got, err := choose(gateway.TierChoice{Server: "sky", Tier: registry.AutoApprove})
	if err != nil || names(got.Set) != "delete_weather get_weather" || names(got.Same) != "get_climate" || len(got.Fixed) != 1 || got.Fixed[0].Tool.ID != "get_storms" {
		t.Errorf("a server: %+v, %v", got, err)
	}
	if _, err := w.Execute(t.Context(), caller(), request("get_weather", "{}")); err != nil {
		t.Errorf("with the user's tier: %v", err)
	}
	got, err = choose(gateway.TierChoice{Hints: []string{"destructive"}, Tier: registry.RequiresApproval})
	if err != nil || !strings.Contains(names(got.Set), " delete_weather get_tides") || strings.Contains(names(got.Set), "get_weather") {
		t.Errorf("an annotation: %+v, %v", got, err)
	}
	got, err = choose(gateway.TierChoice{Server: "sky", Hints: []string{"destructive", "readOnly"}})
	if err != nil || names(got.Set) != "delete_weather" || names(got.Same) != "get_climate" {
		t.Errorf("annotations of a server: %+v, %v", got, err)
	}
	got, err = choose(gateway.TierChoice{Tools: []string{"get_climate", "get_weather", "get_climate"}, Tier: registry.RequiresApproval})
	if err != nil || names(got.Set) != "get_climate get_weather" {
		t.Errorf("names: %+v, %v", got, err)
	}
	w.ask(t, "{}") // get_weather
	_, err = w.Execute(t.Context(), caller(), request("get_climate", "{}"))
	refusal(t, err, gateway.CodeApprovalRequired) // the user's tier is stricter than the tool's
	w.db.Unchanged(t, func() {
		if _, err := choose(gateway.TierChoice{Tools: []string{"get_weather", "get_storms"}, Tier: registry.AutoApprove}); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("one of two is fixed: %v", err)
		}
		if _, err := choose(gateway.TierChoice{Tools: []string{"get_weather", "get_nothing"}, Tier: registry.AutoApprove}); err == nil {
			t.Error("one of two is nowhere")
		}
		if _, err := choose(gateway.TierChoice{Server: "nowhere", Tier: registry.AutoApprove}); err == nil {
			t.Error("a server without tools")
		}
		if got, err := choose(gateway.TierChoice{Tools: []string{"get_weather"}, Tier: registry.RequiresApproval}); err != nil || len(got.Set) > 0 || len(got.Same) != 1 {
			t.Errorf("chosen twice: %+v, %v", got, err)
		}
	})
	got, err = choose(gateway.TierChoice{Server: "sky"})
	if err != nil || names(got.Set) != "get_climate get_weather" || names(got.Same) != "delete_weather get_storms" {
		t.Errorf("taken back: %+v, %v", got, err)
	}
	w.verify(t)
}

// changed is a provider whose tool differs from the approved one; its value is the current definition.
type changed string

func (c *changed) Run(context.Context, gateway.Invocation) (gateway.Output, error) {
	return gateway.Output{}, &gateway.Error{Code: gateway.CodeChanged, Message: "It changed.", Details: json.RawMessage(`{"found":"` + *c + `"}`)}
}

// TestChangeCreatesOneEvent checks that a change creates one event, however many calls encounter it.
func TestChangeCreatesOneEvent(t *testing.T) {
	shortrun.OneGoroutine(t)
	found := changed("abc")
	w := open(t, func(c *gateway.Config) { c.Providers[registry.ProviderMCP] = &found }, action("get_weather", func(tool *registry.Tool) {
		tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: "north"}
	}))
	for _, found = range []changed{"abc", "abc", "abc", "def"} {
		_, err := w.Execute(t.Context(), caller(), request("get_weather", "{}"))
		refusal(t, err, gateway.CodeChanged)
	}
	events, err := w.db.Events(t.Context(), records.EventQuery{Subject: storetest.Action("get_weather").Subject.String(), Limit: 100})
	changes := slices.DeleteFunc(events, func(e history.Event) bool { return e.Act != "definition-changed" })
	if err != nil || len(changes) != 2 {
		t.Errorf("%d events tell of it, %v; want 2", len(changes), err)
	}
	w.verify(t)
}
