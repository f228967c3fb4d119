package trust

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
	"toolcrib/review/rules/rulestest"
)

func TestLoosening(t *testing.T) {
	hint := func(a registry.Annotations) func(*registry.Tool) {
		return func(t *registry.Tool) { t.Annotations = &a }
	}
	limits := func(l *registry.Limits) func(*registry.Tool) { return func(t *registry.Tool) { t.Limits = l } }
	provider := func(p *registry.Provider) func(*registry.Tool) { return func(t *registry.Tool) { t.Provider = p } }
	nothing := func(*registry.Tool) {}
	for name, c := range map[string]struct {
		from, to func(*registry.Tool)
		want     []string
	}{
		"nothing":                {nothing, nothing, nil},
		"another text":           {nothing, func(t *registry.Tool) { t.Description += " Paid ones too." }, nil},
		"read only is forgotten": {hint(registry.Annotations{ReadOnly: new(true)}), nothing, []string{"R201: readOnly changes from true to unset."}},
		"read only is claimed":   {nothing, hint(registry.Annotations{ReadOnly: new(true)}), nil},
		"writing is admitted":    {nothing, hint(registry.Annotations{ReadOnly: new(false)}), nil},
		"destructive is new":     {nothing, hint(registry.Annotations{Destructive: new(true)}), []string{"R202: destructive changes from unset to true."}},
		"destructive is gone":    {hint(registry.Annotations{Destructive: new(true)}), nothing, []string{"R203: destructive changes from true to unset."}},
		"world is unset":         {hint(registry.Annotations{OpenWorld: new(false)}), nothing, []string{"R205: openWorld changes from false to unset."}},

		"tier to the user":     {rulestest.Approves(registry.RequiresApproval, ""), rulestest.Approves(registry.UserConfigurable, registry.RequiresApproval), []string{"R211: The approval tier changes from requires_approval to user_configurable (default requires_approval)."}},
		"the default":          {rulestest.Approves(registry.UserConfigurable, registry.RequiresApproval), rulestest.Approves(registry.UserConfigurable, registry.AutoApprove), []string{"R211: The approval tier changes from user_configurable (default requires_approval) to user_configurable (default auto_approve)."}},
		"no user any more":     {rulestest.Approves(registry.UserConfigurable, registry.AutoApprove), rulestest.Approves(registry.AutoApprove, ""), []string{"R211: The approval tier changes from user_configurable (default auto_approve) to auto_approve."}},
		"from none":            {func(t *registry.Tool) { t.Approval = nil }, rulestest.Approves(registry.AutoApprove, ""), []string{"R211: The approval tier changes from none (always requires approval) to auto_approve."}},
		"from none to asking":  {func(t *registry.Tool) { t.Approval = nil }, rulestest.Approves(registry.RequiresApproval, ""), nil},
		"tier raised":          {rulestest.Approves(registry.AutoApprove, ""), rulestest.Approves(registry.UserConfigurable, registry.AutoApprove), nil},
		"daily limit gone":     {limits(&registry.Limits{DailyLimit: 5}), nothing, []string{"R213: The daily limit changes from 5 calls to none."}},
		"daily limit set":      {nothing, limits(&registry.Limits{DailyLimit: 5}), nil},
		"cooldown shorter":     {limits(&registry.Limits{CooldownSeconds: 60}), limits(&registry.Limits{CooldownSeconds: 5}), []string{"R213: The cooldown changes from 60 s to 5 s."}},
		"cooldown longer":      {limits(&registry.Limits{CooldownSeconds: 5}), limits(&registry.Limits{CooldownSeconds: 60}), nil},
		"another server":       {provider(&registry.Provider{Type: registry.ProviderMCP, Server: "a"}), provider(&registry.Provider{Type: registry.ProviderMCP, Server: "b\u202e"}), []string{`R217: The provider's server changes from a to b\u202e.`}},
		"another kind":         {provider(&registry.Provider{Type: registry.ProviderBuiltin}), nothing, []string{"R217: The provider's type changes from builtin to none."}},
		"a category of nobody": {nothing, func(t *registry.Tool) { t.Category = "calendar" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rulestest.Messages(t, slices.Concat(looseningRules(), offerRules()), rulestest.Change(c.from, c.to)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestLetLoose checks that a destructive tool that no longer needs approval blocks, even if it no
// longer declares that it is destructive.
func TestLetLoose(t *testing.T) {
	asks := func(t *registry.Tool) {
		t.Annotations = &registry.Annotations{Destructive: new(true)}
		t.Approval = &registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	}
	for name, to := range map[string]func(*registry.Tool){
		"default":                func(t *registry.Tool) { asks(t); t.Approval.Default = registry.AutoApprove },
		"tier":                   func(t *registry.Tool) { asks(t); t.Approval = &registry.Approval{Tier: registry.AutoApprove} },
		"without the annotation": func(t *registry.Tool) { t.Approval = &registry.Approval{Tier: registry.AutoApprove} },
		"with another annotation": func(t *registry.Tool) {
			asks(t)
			t.Annotations.Destructive = new(false)
			t.Approval.Default = registry.AutoApprove
		},
	} {
		if got := rulestest.Messages(t, []rules.Rule{loosened("R212", approvalRemoved)}, rulestest.Change(asks, to)); len(got) != 1 {
			t.Errorf("%s: got %q", name, got)
		}
		if got := rulestest.Messages(t, []rules.Rule{loosened("R211", approvalLowered)}, rulestest.Change(asks, to)); got != nil {
			t.Errorf("%s is told twice: %q", name, got)
		}
	}
}

// TestOverriding checks that a definition is compared with the definition of the same id in an
// earlier layer that it hides.
func TestOverriding(t *testing.T) {
	var shippedDelete registry.Definition
	for _, d := range shipped.Assistant() {
		if d.Tool.ID == "delete_tasks" {
			shippedDelete = d
		}
	}
	live := registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: "delete_tasks"}, Version: 1, Definition: shippedDelete}
	mine := *shippedDelete.Tool
	mine.Approval = &registry.Approval{Tier: registry.AutoApprove}
	d := rulestest.Sample()
	d.Subject.ID, d.Definition = "delete_tasks", registry.Definition{Tool: &mine}
	e := rulestest.Example{Draft: d, Live: []registry.Live{live}}
	got := rulestest.Messages(t, offerRules(), e)
	if len(got) != 1 || !strings.HasPrefix(got[0], "R212") || !strings.Contains(got[0], "tool:global/delete_tasks") {
		t.Errorf("got %q", got)
	}

	e.Draft.Subject.Layer = registry.LayerGlobal
	e.Live[0].Subject.Layer = registry.ProjectLayer("novel")
	if got := rulestest.Messages(t, offerRules(), e); got != nil {
		t.Errorf("a later layer is held against an earlier one: %q", got)
	}

	e = rulestest.Example{Draft: d, Live: []registry.Live{live}}
	e.Live[0].Definition = shippedDelete.WithStatus(registry.Deactivated)
	e.Draft.Definition = shippedDelete
	if got := rulestest.Messages(t, []rules.Rule{{ID: "R218", Check: reactivated}}, e); len(got) != 1 {
		t.Errorf("a deactivated tool comes back by a later layer: %q", got)
	}
}

func TestAllowLists(t *testing.T) {
	list := func(name string) *registry.AllowList { return &registry.AllowList{Name: name} }
	for name, c := range map[string]struct {
		before, after registry.Agent
		want          []string
	}{
		"the same": {registry.Agent{AllowList: list("explore")}, registry.Agent{AllowList: list("explore")}, nil},
		"spelled out": {
			registry.Agent{AllowList: list("explore")},
			registry.Agent{AllowList: &registry.AllowList{Tools: []string{"file_locator", "file_reader", "search_issues"}}},
			nil,
		},
		"a larger list": {
			registry.Agent{AllowList: list("supervisor")},
			registry.Agent{AllowList: list("execute")},
			[]string{
				"R221: The allow-list admits more categories: code_changes, terminal, sandbox, analysis.",
				"R221: The allow-list admits more tools when embedding works: search_memories.",
			},
		},
		"categories of the profile": {registry.Agent{}, registry.Agent{Categories: []string{"terminal"}}, []string{"R221: The allow-list admits more categories: terminal."}},
		"a filter by tier is wider": {
			registry.Agent{AllowList: &registry.AllowList{Categories: []string{"web"}, Tiers: []registry.Tier{registry.TierLow}}},
			registry.Agent{AllowList: &registry.AllowList{Categories: []string{"web"}, Tiers: []registry.Tier{registry.TierLow, registry.TierHigh}}},
			[]string{"R221: The filter by tier changes from low to low, high."},
		},
		"a filter by tier is gone": {
			registry.Agent{AllowList: &registry.AllowList{Categories: []string{"web"}, Tiers: []registry.Tier{registry.TierLow}}},
			registry.Agent{AllowList: &registry.AllowList{Categories: []string{"web"}}},
			[]string{"R221: The filter by tier changes from low to none."},
		},
		"an exclusion is gone": {
			registry.Agent{AllowList: &registry.AllowList{Tools: []string{"a", "b"}, ExcludeInLocal: []string{"a"}}},
			registry.Agent{AllowList: &registry.AllowList{Tools: []string{"a", "b"}}},
			[]string{"R221: The allow-list no longer excludes tools when the agent is local: a."},
		},
		"fewer": {registry.Agent{AllowList: list("execute")}, registry.Agent{AllowList: list("supervisor")}, []string{"R221: The allow-list admits more categories: todo, requirement."}},
	} {
		t.Run(name, func(t *testing.T) {
			d := rulestest.Sample()
			d.Type, d.Subject.Kind, d.Subject.ID = proposals.Modify, registry.KindAgent, "editor"
			c.before.ID, c.after.ID = "editor", "editor"
			d.Definition = registry.Definition{Agent: &c.after}
			live := []registry.Live{{Subject: d.Subject, Version: 1, Definition: registry.Definition{Agent: &c.before}}}
			if got := rulestest.Messages(t, agentRules(), rulestest.Example{Draft: d, Live: live}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			d.Type = proposals.New
			live[0].Subject.Layer = registry.LayerGlobal
			if got := rulestest.Messages(t, agentRules(), rulestest.Example{Draft: d, Live: live}); len(got) != len(c.want) {
				t.Errorf("in a later layer: got %q, want %q", got, c.want)
			}
		})
	}
}

// TestCategoryOfAnAgent checks that an agent that admits a category gets the tools that move to
// this category.
func TestCategoryOfAnAgent(t *testing.T) {
	e := rulestest.Change(func(t *registry.Tool) { t.Category = "other" }, func(t *registry.Tool) { t.Category = "calendar" })
	e.Live = append(e.Live, registry.Live{
		Subject:    registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: "planner"},
		Definition: registry.Definition{Agent: &registry.Agent{ID: "planner", Categories: []string{"calendar"}}},
	})
	want := []string{"R216: The category changes from other to calendar. The new category is admitted by agent:user/planner."}
	if got := rulestest.Messages(t, []rules.Rule{{ID: "R216", Check: categoryMoved}}, e); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRenames(t *testing.T) {
	old := rulestest.Action("get_invoices")
	old.Definition.Tool.Source = &registry.Source{Type: registry.SourceMCP, Ref: "bills#get", Hash: strings.Repeat("a", 64)}
	old.Definition.Tool.Description = "Use get_invoices to work with the invoices of the current customer."
	live := registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: "get_invoices"}, Version: 3, Definition: old.Definition}
	for name, c := range map[string]struct {
		change func(*registry.Tool)
		want   []string
	}{
		"the same": {func(*registry.Tool) {}, []string{"R301"}},
		"identical, from another server": {func(t *registry.Tool) {
			source := *t.Source
			t.Source, source.Ref = &source, "bills_2#get"
		}, nil}, // reported by O102
		"in its own name": {func(t *registry.Tool) {
			t.Description = "Use get_bills to WORK with the invoices, of the current customer"
		}, []string{"R301"}},
		"under another tier": {func(t *registry.Tool) { t.Approval = &registry.Approval{Tier: registry.AutoApprove} }, []string{"R301"}},
		"another text":       {func(t *registry.Tool) { t.Description = "Use get_bills to send the bills of the current customer." }, nil},
		"another schema":     {func(t *registry.Tool) { t.InputSchema = []byte(`{"type":"object"}`) }, nil},
	} {
		tool := *old.Definition.Tool
		tool.ID, tool.Name = "get_bills", "Bills"
		if name != "identical, from another server" {
			tool.Source = nil
		}
		c.change(&tool)
		d := rulestest.Sample()
		d.Subject.ID, d.Definition = tool.ID, registry.Definition{Tool: &tool}
		if got := rulesOf(rulestest.Messages(t, renameRules(), rulestest.Example{Draft: d, Live: []registry.Live{live}})); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestRetiredWords(t *testing.T) {
	for id, want := range map[string]bool{
		"task_create":    true, // create_task
		"tasks_get":      true, // get_task
		"message_gmail":  false,
		"memory_store":   true, // approval tiers may be set for it
		"memory_delete":  true,
		"digest_email":   true,  // email_digest
		"create_task":    false, // reported by the names rules
		"get_tasks":      false, // the current name
		"get_invoices":   false,
		"recalls":        false, // a single word is an ordinary word
		"list_calendars": false,
	} {
		if got := rulestest.Messages(t, renameRules(), rulestest.Example{Draft: rulestest.Action(id)}); (len(got) > 0) != want {
			t.Errorf("%s: got %q", id, got)
		}
	}
}

func rulesOf(messages []string) []string {
	var ids []string
	for _, m := range messages {
		id, _, _ := strings.Cut(m, ":")
		ids = append(ids, id)
	}
	return ids
}
