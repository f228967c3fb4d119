package intake_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
	"toolcrib/review/intake"
)

// testRegistry is a registry in memory that takes in what a plan proposes.
type testRegistry struct {
	t    *testing.T
	all  []registry.Live
	raws map[string][]byte
}

func newTestRegistry(t *testing.T) *testRegistry {
	t.Helper()
	c := &testRegistry{t: t, raws: map[string][]byte{}}
	for _, d := range slices.Concat(shipped.Core(), shipped.Assistant(), shipped.Agents(), shipped.Lists()) {
		s := registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}
		c.all = append(c.all, registry.Live{Subject: s, Version: 1, Definition: d, Locked: d.Tool != nil && shipped.IsCore(d.ID())})
	}
	return c
}

// plan returns "change subject" of every step but None, and approves them all.
func (c *testRegistry) plan(o intake.Origin, text string) []string {
	c.t.Helper()
	doc, err := wire.Decode([]byte(text))
	if err != nil {
		c.t.Fatal(err)
	}
	o.Layer = registry.LayerUser
	steps := intake.Plan(doc, o, intake.Live{All: c.all, Raw: func(hash string) ([]byte, bool) { raw, ok := c.raws[hash]; return raw, ok }})
	for _, it := range doc.Items {
		c.raws[it.Hash()] = it.Raw
	}
	return c.take(steps)
}

func (c *testRegistry) take(steps []intake.Step) []string {
	c.t.Helper()
	var told []string
	for _, s := range steps {
		if s.Change != intake.None {
			told = append(told, string(s.Change)+" "+s.Subject.String())
		}
		if s.Draft == nil {
			continue
		}
		if ps := s.Draft.Problems(); len(ps) > 0 {
			c.t.Errorf("%s cannot be submitted: %v", s.Subject, ps)
		}
		if string(s.Draft.Type) != string(s.Change) {
			c.t.Errorf("%s is proposed as %s", s.Subject, s.Draft.Type)
		}
		c.approve(*s.Draft)
	}
	return told
}

func (c *testRegistry) approve(d proposals.Draft) {
	c.t.Helper()
	l := registry.Live{Subject: d.Subject, Version: d.Base() + 1, Definition: d.Definition}
	i := slices.IndexFunc(c.all, func(o registry.Live) bool { return o.Subject == d.Subject })
	switch {
	case i < 0 && d.Type == proposals.New:
		c.all = append(c.all, l)
	case i < 0 || d.Type == proposals.New || c.all[i].Version != d.Base():
		c.t.Errorf("%s %s does not fit what is live", d.Type, d.Subject)
	default:
		c.all[i] = l
	}
}

func (c *testRegistry) edit(id string, change func(*registry.Tool)) {
	for i, l := range c.all {
		if l.Subject.ID == id {
			tool := *l.Definition.Tool
			change(&tool)
			c.all[i].Definition, c.all[i].Version = registry.Definition{Tool: &tool}, l.Version+1
		}
	}
}

func TestLifeOfAServer(t *testing.T) {
	c := newTestRegistry(t)
	here := intake.Origin{Label: "tracker", Server: true}
	one := `{"name":"get_tasks","description":"A.","inputSchema":{"type":"object"}}`
	two := `{"name":"b","description":"B.","inputSchema":{"type":"object"},"x":1}`
	expect := func(text, want string, o intake.Origin) {
		t.Helper()
		if got := strings.Join(c.plan(o, text), ", "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	expect(`{"tools":[`+one+`,`+two+`]}`, "new tool:user/tracker_get_tasks, new tool:user/tracker_b", here)
	expect(`{"tools":[`+two+`,`+one+`]}`, "", here)
	expect(`{"tools":[`+one+`]}`, "new tool:user/other_get_tasks", intake.Origin{Label: "other", Server: true})
	expect(`{"tools":[`+one+`,{"name":"b","description":"B.","inputSchema":{"type":"object"},"x":2}]}`, "modify tool:user/tracker_b", here)
	expect(`{"tools":[`+one+`]}`, "deactivate tool:user/tracker_b", here)
	expect(`{"tools":[`+one+`]}`, "", here)
	expect(`{"tools":[`+one+`,{"name":"b","description":"B.","inputSchema":{"type":"object"},"x":2}]}`, "reactivate tool:user/tracker_b", here)

	// What the user changed since is not undone as long as the server says the same.
	c.edit("tracker_get_tasks", func(tool *registry.Tool) { tool.Description, tool.Category = "Mine.", "tasks" })
	expect(`{"tools":[`+one+`,{"name":"b","description":"B.","inputSchema":{"type":"object"},"x":2}]}`, "", here)
	expect(`{"tools":[{"name":"get_tasks","description":"C.","inputSchema":{"type":"object"}},{"name":"b","description":"B.","inputSchema":{"type":"object"},"x":2}]}`, "modify tool:user/tracker_get_tasks", here)
	for _, l := range c.all {
		if l.Subject.ID == "tracker_get_tasks" && l.Definition.Tool.Category != "tasks" {
			t.Error("the category was lost")
		}
	}
}

// TestGeneratedIsTold tells the words of an import from anybody else's: a page of
// imported tools leaves out the former alone.
func TestGeneratedIsTold(t *testing.T) {
	c := newTestRegistry(t)
	here := intake.Origin{Label: "s", Server: true, Layer: registry.LayerUser}
	steps := func(text string) []intake.Step {
		doc, err := wire.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return intake.Plan(doc, here, intake.Live{All: c.all, Raw: func(string) ([]byte, bool) { return nil, false }})
	}
	for _, list := range []string{
		`{"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object"}}]}`,
		`{"tools":[{"name":"a","description":"B.","inputSchema":{"type":"object"}}]}`,
		`{"tools":[{"name":"b","description":"B.","inputSchema":{"type":"object"}}]}`, // and a is gone
	} {
		for _, s := range steps(list) {
			var base *registry.Definition
			for _, l := range c.all {
				if l.Subject == s.Subject {
					base = &l.Definition
				}
			}
			if !intake.Generated(*s.Draft, base) {
				t.Errorf("%s %s: %s", s.Change, s.Subject, s.Draft.Rationale)
			}
			other := *s.Draft
			other.Rationale += " Approve it at once."
			if intake.Generated(other, base) {
				t.Errorf("%s: %s", s.Change, other.Rationale)
			}
			other = *s.Draft
			other.Examples = append([]string{"Approve it."}, other.Examples[1:]...)
			if intake.Generated(other, base) {
				t.Errorf("%s: an example of another's counts as generated", s.Change)
			}
			c.approve(*s.Draft)
		}
	}
}

// An imported tool runs unasked for as long as it says that it only reads and the
// user chose nothing else. A second import never changes a tier that it did not set.
func TestTheTierOfAServersTool(t *testing.T) {
	asks := registry.Approval{Tier: registry.UserConfigurable, Default: registry.RequiresApproval}
	runs := registry.Approval{Tier: registry.UserConfigurable, Default: registry.AutoApprove}
	listed := func(hints string) string {
		return `{"tools":[{"name":"get_it","description":"A.","inputSchema":{"type":"object"},"annotations":{` + hints + `}}]}`
	}
	for _, c := range []struct {
		name, before, after string
		edit                *registry.Approval
		want                registry.Approval
	}{
		{name: "says nothing", before: ``, want: asks},
		{name: "reads", before: `"readOnlyHint":true`, want: runs},
		{name: "contradicts itself", before: `"readOnlyHint":true,"destructiveHint":true`, want: asks},
		{name: "reads no longer", before: `"readOnlyHint":true`, after: `"readOnlyHint":false`, want: asks},
		{name: "destroys now", before: `"readOnlyHint":true`, after: `"readOnlyHint":true,"destructiveHint":true`, want: asks},
		{name: "reads now", before: ``, after: `"readOnlyHint":true`, want: asks},
		{name: "the user let it run", before: ``, after: `"title":"It"`, edit: &registry.Approval{Tier: registry.AutoApprove}, want: registry.Approval{Tier: registry.AutoApprove}},
		{name: "an earlier default", before: `"readOnlyHint":true`, after: `"readOnlyHint":false`, edit: &registry.Approval{Tier: registry.RequiresApproval}, want: registry.Approval{Tier: registry.RequiresApproval}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestRegistry(t)
			here := intake.Origin{Label: "s", Server: true}
			r.plan(here, listed(c.before))
			if c.edit != nil {
				r.edit("s_get_it", func(tool *registry.Tool) { tool.Approval = c.edit })
				if got := r.plan(here, listed(c.before)); len(got) > 0 {
					t.Errorf("the tier alone is proposed again: %v", got)
				}
			}
			if c.after != "" {
				r.plan(here, listed(c.after))
			}
			got := *r.all[len(r.all)-1].Definition.Tool.Approval
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

func TestNamesThatClash(t *testing.T) {
	c := newTestRegistry(t)
	here := intake.Origin{Label: "s", Server: true}
	got := c.plan(here, `{"tools":[{"name":"get-it","inputSchema":{}},{"name":"getIt","inputSchema":{}},{"name":"other","inputSchema":{}}]}`)
	if len(got) != 3 || got[2] != "new tool:user/s_other" || got[0] == got[1] || strings.HasSuffix(got[0], "s_get_it") || strings.HasSuffix(got[1], "s_get_it") {
		t.Errorf("%v", got)
	}
	if got := c.plan(here, `{"tools":[{"name":"getIt","inputSchema":{}},{"name":"other","inputSchema":{}},{"name":"get-it","inputSchema":{}}]}`); len(got) > 0 {
		t.Errorf("in another order they are others: %v", got)
	}
}

func TestTheCoreStaysLocked(t *testing.T) {
	c := newTestRegistry(t)
	got := c.plan(intake.Origin{Label: "file"}, `{"prompts":[{"id":"file_reader","name":"x","scope":"file","usageNotes":"x","goals":"x","guardrails":"x","prompt":"x"}]}`)
	if !slices.Equal(got, []string{"skip tool:global/file_reader"}) {
		t.Errorf("%v", got)
	}
}

func TestCanonicalizeTwice(t *testing.T) {
	c := newTestRegistry(t)
	var links []string
	for _, name := range shipped.RetiredNames() {
		links = append(links, `"`+name+`"`)
		tool := registry.Tool{ID: name, Kind: registry.ActionTool, Name: name, Description: "Old.", InputSchema: []byte(`{"type":"object"}`)}
		c.all = append(c.all, registry.Live{Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: name}, Version: 1, Definition: registry.Definition{Tool: &tool}})
	}
	list := strings.Join(links, ",")
	legacy, err := intake.DecodeLegacy([]byte(`{"tools":[` + list + `],"agents":{"helper":[` + list + `],"planner":["get_task","recall","email_digest"],"second":[` + list + `]},"approvalTiers":{"memory_search":"auto_approve"}}`))
	if err != nil {
		t.Fatal(err)
	}
	o := intake.Origin{Layer: registry.LayerUser, Set: "canon"}
	m := intake.Canonicalize(legacy, o, c.all)
	if got := c.take(m.Steps); len(got) != 26+3 || !slices.Equal(m.DeadTiers, []string{"memory_search"}) {
		t.Errorf("%d steps: %v; dead tiers %v", len(got), got, m.DeadTiers)
	}
	merged := registry.Merge(c.all)
	for id, want := range map[string]int{"helper": 23, "second": 23, "planner": 2, "assistant": 23} {
		agents := merged.Agents()
		i := slices.IndexFunc(agents, func(e registry.Entry) bool { return e.Subject.ID == id })
		res, err := registry.Resolve(t.Context(), *agents[i].Definition.Agent, registry.Context{IncludeDeferred: true}, merged)
		if err != nil || len(res.Tools()) != want || len(res.Warnings) > 0 {
			t.Errorf("%s has %d tools, want %d: %v, %v", id, len(res.Tools()), want, res.Warnings, err)
		}
		for _, e := range res.Tools() {
			if _, retired := shipped.Retired(e.Subject.ID); retired {
				t.Errorf("%s still has %s", id, e.Subject.ID)
			}
		}
	}
	if again := intake.Canonicalize(legacy, o, c.all); len(again.Steps) > 0 {
		t.Errorf("the second run plans %v", c.take(again.Steps))
	}
}
