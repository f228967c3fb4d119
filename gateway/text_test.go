package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/plaintext"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// oddTexts contains texts that not every engine can store, and long ones.
var oddTexts = map[string]string{"NUL": "a\x00b", "byte": "a\xff", "half": "a\xc3", "surrogate": "a\xed\xa0\x80"}

// TestOddNamesAreRecorded calls names that cannot be stored unchanged or would be cut inside a character. Each must
// be refused, recorded and counted (C34, C43).
func TestOddNamesAreRecorded(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, func(c *gateway.Config) { c.MaxRefused = 10 }, action("get_weather", nil))
	names := map[string]string{"long": "a" + strings.Repeat("é", 100), "longer": strings.Repeat("😀", 500), "long NUL": strings.Repeat("\x00", 500)}
	for name, text := range oddTexts {
		names[name] = text
	}
	for name, text := range names {
		before := w.written(t)
		_, err := w.Execute(t.Context(), caller(), request(text, "{}"))
		refusal(t, err, gateway.CodeUnknown)
		calls, err := w.Calls(t.Context(), gateway.CallQuery{Limit: 1})
		if err != nil || w.written(t) != before+1 {
			t.Fatalf("%s: %v; it was not recorded", name, err)
		}
		if got := calls[0].Name; plaintext.Problem(got) != "" || got == "" || len([]rune(got)) > 128 || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%s is recorded as %q", name, got)
		}
	}
	if len(w.warnings) > 0 {
		t.Errorf("warned: %q", w.warnings)
	}
	storetest.Sound(t, w.db.DB)
}

// TestOddCallersAreRefused checks that nothing is written for agents, users and customers with names that cannot be
// stored.
func TestOddCallersAreRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", nil))
	odd := map[string]string{"long": strings.Repeat("é", gateway.MaxCallerText+1)}
	for name, text := range oddTexts {
		odd[name] = text
	}
	w.db.Unchanged(t, func() {
		for name, text := range odd {
			for field, change := range map[string]func(*gateway.Caller){
				"agent":    func(c *gateway.Caller) { c.Agent = text },
				"user":     func(c *gateway.Caller) { c.User = text },
				"customer": func(c *gateway.Caller) { c.Customer = text },
				"layer":    func(c *gateway.Caller) { c.Layer = registry.Layer("project/" + text) },
			} {
				c := caller()
				change(&c)
				if _, err := w.Execute(t.Context(), c, request("get_weather", "{}")); !errors.Is(err, review.ErrText) {
					t.Errorf("%s %s: %v", name, field, err)
				}
				if _, err := w.Describe(t.Context(), c, "get_weather"); !errors.Is(err, review.ErrText) {
					t.Errorf("describe, %s %s: %v", name, field, err)
				}
			}
			if _, err := w.Unsigned().SetTiers(t.Context(), ada, gateway.TierChoice{User: text, Tools: []string{"get_weather"}, Layer: registry.LayerUser, Tier: ""}); !errors.Is(err, review.ErrText) {
				t.Errorf("%s sets a tier: %v", name, err)
			}
		}
	})
}

// TestOddContextsAreRefused uses texts that cannot be stored in the context of a call and as the reason for a
// rejection.
func TestOddContextsAreRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("create_notes", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} }))
	_, err := w.Execute(t.Context(), caller(), request("create_notes", "{}"))
	id := refusal(t, err, gateway.CodeApprovalRequired).Pending
	for name, text := range oddTexts {
		for field, said := range map[string]gateway.CallContext{
			"message": {UserMessage: text}, "chat": {ChatID: text}, "conversation": {ConversationID: text}, "mission": {MissionID: text},
		} {
			r := request("create_notes", "{}")
			r.CallContext = said
			_, err := w.Execute(t.Context(), caller(), r)
			if refusalOf(err).Code != gateway.CodeArguments {
				t.Errorf("%s %s: %v", name, field, err)
			}
		}
		w.db.Unchanged(t, func() {
			if _, err := w.Refuse(t.Context(), ada, id, "No: "+text); !errors.Is(err, review.ErrText) {
				t.Errorf("%s as a reason: %v", name, err)
			}
		})
	}
	storetest.Sound(t, w.db.DB)
}

// says is a provider that always returns the same response.
type says struct {
	output gateway.Output
	fail   error
}

func (s *says) Run(context.Context, gateway.Invocation) (gateway.Output, error) {
	return s.output, s.fail
}

// TestOddAnswersAreRecorded has a provider return bytes that are not text in its result, its error and other fields.
// The outcome must be recorded.
func TestOddAnswersAreRecorded(t *testing.T) {
	shortrun.OneGoroutine(t)
	provider := &says{}
	w := open(t, func(c *gateway.Config) { c.Providers[registry.ProviderBuiltin] = provider },
		action("create_notes", func(tool *registry.Tool) { tool.Approval = &registry.Approval{Tier: registry.RequiresApproval} }))
	for name, text := range oddTexts {
		raw := json.RawMessage(`{"message":"` + text + `"}`)
		for what, answer := range map[string]says{
			"result": {output: gateway.Output{Object: raw}},
			"error":  {fail: &gateway.Error{Code: "broken", Message: text, Details: raw, Answer: raw}},
		} {
			*provider = answer
			_, err := w.Execute(t.Context(), caller(), request("create_notes", "{}"))
			id := refusal(t, err, gateway.CodeApprovalRequired).Pending
			if _, err := w.Approve(t.Context(), ada, id, ""); err == nil {
				t.Errorf("%s in the %s: no error", name, what)
			}
			if p, err := w.PendingCall(t.Context(), id); err != nil || p.Outcome == nil {
				t.Errorf("%s in the %s: the outcome was not recorded: %v", name, what, err)
			}
		}
	}
	if len(w.warnings) > 0 {
		t.Errorf("warned: %q", w.warnings)
	}
	storetest.Sound(t, w.db.DB)
}
