package gateway_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
)

func ids(hits []gateway.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Tool.ID)
	}
	return out
}

func described(id, description string, change func(*registry.Tool)) registry.Tool {
	return action(id, func(tool *registry.Tool) {
		tool.Description = description
		if change != nil {
			change(tool)
		}
	})
}

// TestSearch checks that names rank above descriptions, that prefixes and word forms match, and that results are
// limited to the agent's tools.
func TestSearch(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(
		t, nil,
		described("get_weather", "Looks out of the window.", nil),
		described("create_reports", "Writes a report about the weather of last week. It is long.", nil),
		described("create_schedules", "Plans what repeats.", func(tool *registry.Tool) { tool.DeferLoading = true }),
		described("get_tides", "High and low water.", func(tool *registry.Tool) {
			tool.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: "sea", Name: "Tide.Table"}
		}),
	)
	w.approve(t, described("get_forecasts", "Weather, weather, weather; scout does not have it.", nil))
	for query, want := range map[string][]string{
		"weather":                {"get_weather", "create_reports"},
		"Weathers":               {"get_weather", "create_reports"},
		"scheduling":             {"create_schedules"}, // deferred, and another word form
		"Tide.Table":             {"get_tides"},
		"get_tides":              {"get_tides", "get_weather"}, // get is a word, too
		"repo":                   {"create_reports"},
		"forecasts scout":        nil,
		`" OR tools MATCH "x" *`: nil,
		"***":                    nil,
		"weather AND NOT water":  {"get_tides", "get_weather", "create_reports"},
	} {
		hits, err := w.Search(t.Context(), caller(), query, 0)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		got := ids(hits)
		if query == "weather AND NOT water" {
			slices.Sort(got)
			want = []string{"create_reports", "get_tides", "get_weather"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds %v; want %v", query, got, want)
		}
	}
	hits, err := w.Search(t.Context(), caller(), "", 3)
	if err != nil || !slices.Equal(ids(hits), []string{"create_reports", "create_schedules", "get_tides"}) {
		t.Errorf("nothing in particular finds %v, %v", ids(hits), err)
	}
	if h := hits[0]; h.Short != "Writes a report about the weather of last week." || h.Approval != registry.AutoApprove || h.Deferred || !hits[1].Deferred {
		t.Errorf("got %+v", hits)
	}
	// Searches find the current definitions.
	w.approve(t, described("get_tides", "Storm surges.", nil))
	if hits, err := w.Search(t.Context(), caller(), "storm", 0); err != nil || !slices.Equal(ids(hits), []string{"get_tides"}) {
		t.Errorf("after a change: %v, %v", ids(hits), err)
	}
	nobody := caller()
	nobody.Agent = "nobody"
	if _, err := w.Search(t.Context(), nobody, "weather", 0); !errors.Is(err, proposals.ErrNotFound) {
		t.Errorf("an agent that is not there: %v", err)
	}
}

// TestManyAvailable checks that a refusal lists the first available tools and how to find the others (C15).
func TestManyAvailable(t *testing.T) {
	shortrun.OneGoroutine(t)
	var tools []registry.Tool
	for i := range 22 {
		tools = append(tools, action(fmt.Sprintf("get_report_%c", 'a'+i), nil))
	}
	w := open(t, nil, tools...)
	w.approve(t, action("get_climate", nil))
	_, err := w.Execute(t.Context(), caller(), request("get_climate", `{}`))
	if e := refusal(t, err, gateway.CodeNotAllowed); !strings.Contains(e.Message, "get_report_t and 2 more, which search_tools finds") || strings.Contains(e.Message, "get_report_u") {
		t.Error(e.Message)
	}
}

// TestDescribe checks that complete definitions are returned, and only of the agent's tools.
func TestDescribe(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := open(t, nil, action("get_weather", func(tool *registry.Tool) {
		tool.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	}))
	w.approve(t, action("get_climate", nil))
	d, err := w.Describe(t.Context(), caller(), "get_weather")
	if err != nil {
		t.Fatal(err)
	}
	if d.Why != "listed" {
		t.Errorf("why is %q", d.Why)
	}
	if d.Approval != registry.RequiresApproval {
		t.Errorf("the tier in force is %q", d.Approval)
	}
	if schema := string(d.Tool.Definition.Tool.InputSchema); !strings.Contains(schema, "maxLength") {
		t.Errorf("the schema is %s", schema)
	}
	if want := d.Tool.Definition.Hash(); d.Tool.ContentHash != want {
		t.Errorf("the hash is %q; want %q", d.Tool.ContentHash, want)
	}
	_, err = w.Describe(t.Context(), caller(), "get_climate")
	if e := refusal(t, err, gateway.CodeNotAllowed); !strings.Contains(e.Message, "; the agent has get_weather. ") || string(e.Details) != `{"available":["get_weather"]}` {
		t.Errorf("the refusal does not name what there is (C15): %s %s", e.Message, e.Details)
	}
	_, err = w.Describe(t.Context(), caller(), strings.Repeat("x", 1_000_000))
	refusal(t, err, gateway.CodeUnknown)
}
