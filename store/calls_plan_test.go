package store

import (
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/store/calls"
	"toolcrib/store/session"
)

// TestRefusalsAreLookedUp checks that counting a rejected call uses its key, and that listing the hours uses their
// index.
func TestRefusalsAreLookedUp(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := openNew(t)
	for query, want := range map[string]string{
		"SELECT written FROM call_refusals WHERE agent = ? AND user = ? AND hour = ?":                        "SEARCH call_refusals USING PRIMARY KEY (agent=? AND user=? AND hour=?)",
		"SELECT agent, hour FROM call_refusals WHERE counted > 0 AND +agent = ? ORDER BY hour DESC LIMIT 10": "SCAN call_refusals USING INDEX call_refusals_counted",
	} {
		if steps := plan(t.Context(), t, db, query); len(steps) != 1 || steps[0] != want {
			t.Errorf("%s is read by %q; want %q", query, steps, want)
		}
	}
}

// TestPagesOfCallsAreLookedUp checks the query plans for pages of the call log. Each filter uses an index, or the table
// in its order if there is no index, and nothing is sorted.
func TestPagesOfCallsAreLookedUp(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := openNew(t)
	tool := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: "get_tasks"}
	for index, queries := range map[string][]gateway.CallQuery{
		"SCAN c":                {{}},
		"INTEGER PRIMARY KEY":   {{Before: 7}},
		"calls_by_user":         {{User: "ada"}, {User: "ada", Agent: "a", Tool: tool, Code: gateway.CodeOK, Before: 7}},
		"calls_by_agent":        {{Agent: "a"}, {Agent: "a", Tool: tool}},
		"calls_by_tool":         {{Tool: tool}, {Tool: tool, Code: gateway.CodeCooldown}},
		"SEARCH n":              {{Code: gateway.CodeInterrupted, Before: 7}, {Code: gateway.CodeInterrupted, Agent: "a", User: "ada", Tool: tool, Before: 7}},
		"SCAN n":                {{Code: gateway.CodeInterrupted}, {Code: gateway.CodeInterrupted, User: "ada"}},
		"call_outcomes_by_code": {{Code: gateway.CodeOK}, {Code: gateway.CodeCooldown, Before: 7}},
	} {
		for _, q := range queries {
			q.Limit = 10
			known := map[string]bool{}
			var made string
			err := db.pool.View(t.Context(), func(s *session.Session) error {
				for query := range s.Statements() {
					known[query] = true
				}
				_, err := calls.Tables{Session: s}.Calls(t.Context(), q)
				for query := range s.Statements() {
					if !known[query] {
						made = query
					}
				}
				return err
			})
			if err != nil || made == "" {
				t.Fatalf("%+v: %q, %v", q, made, err)
			}
			steps := plan(t.Context(), t, db, made)
			if !strings.Contains(steps[0], index) || strings.Contains(strings.Join(steps, "\n"), "TEMP B-TREE") {
				t.Errorf("%+v is read by %q; want %s\n%s", q, steps, index, made)
			}
		}
	}
}
