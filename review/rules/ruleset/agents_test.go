package ruleset

import (
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules/rulestest"
)

// TestAgentExamples runs every rule of the family on its own examples and on the good examples of
// the other rules.
func TestAgentExamples(t *testing.T) {
	for _, r := range family("A") {
		if found := rulestest.Check(t, r.Rule, r.bad); len(found) == 0 {
			t.Errorf("%s finds nothing in its bad example", r.ID)
		}
		for _, other := range family("A") {
			if found := rulestest.Check(t, r.Rule, other.good); len(found) > 0 {
				t.Errorf("%s finds something in the good example of %s: %+v", r.ID, other.ID, found)
			}
		}
	}
}

// TestShippedAgentsAreGood runs the family on the shipped definitions.
func TestShippedAgentsAreGood(t *testing.T) {
	for _, d := range append(shipped.Agents(), append(shipped.Core(), shipped.Assistant()...)...) {
		draft := rulestest.Sample()
		draft.Subject = registry.Subject{Kind: d.Kind(), Layer: registry.LayerGlobal, ID: d.ID()}
		draft.Definition = d
		for _, r := range family("A") {
			if found := rulestest.Check(t, r.Rule, rulestest.Example{Draft: draft}); len(found) > 0 {
				t.Errorf("%s: %+v", d.ID(), found)
			}
		}
	}
}

// TestAgentsHaveTools checks that agents and lists that admit no tools cause a warning (C49).
func TestAgentsHaveTools(t *testing.T) {
	agent := func(list *registry.AllowList, categories ...string) registry.Definition {
		return registry.Definition{Agent: &registry.Agent{ID: "reader", Name: "Reader", Description: "Reads.", AllowList: list, Categories: categories}}
	}
	for name, c := range map[string]struct {
		registry.Definition
		warns bool
	}{
		"no list":              {agent(nil), true},
		"an empty list":        {agent(&registry.AllowList{}), true},
		"only exclusions":      {agent(&registry.AllowList{ExcludeInLocal: []string{"file_reader"}}), true},
		"a list of that name":  {agent(&registry.AllowList{Name: "explore"}), false},
		"no list of that name": {agent(&registry.AllowList{Name: "expolre"}), false}, // A109 blocks it
		"categories":           {agent(nil, "search"), false},
		"a tool when remote":   {agent(&registry.AllowList{AddWhenNonLocal: []string{"file_reader"}}), false},
		"kinds":                {agent(&registry.AllowList{Kinds: registry.Kinds{registry.PromptTool}}), false},
		"a list without tools": {registry.Definition{List: &registry.List{ID: "none"}}, true},
		"a list with a tool":   {registry.Definition{List: &registry.List{ID: "one", Tools: []string{"file_reader"}}}, false},
	} {
		d := rulestest.Sample()
		d.Subject = registry.Subject{Kind: c.Kind(), Layer: registry.LayerUser, ID: c.ID()}
		d.Definition = c.Definition
		warned := false
		for _, r := range family("A") {
			warned = warned || r.ID == "A110" && len(rulestest.Check(t, r.Rule, rulestest.Example{Draft: d})) > 0
		}
		if warned != c.warns {
			t.Errorf("%s: warned is %t", name, warned)
		}
	}
}

func TestSouls(t *testing.T) {
	for _, c := range []struct{ soul, rule string }{
		{"# Who you are\nKind.", "A101"},
		{"Who you are\n===\nKind.", "A101"},
		{"   ### Kind", "A101"},
		{"#1 is honesty. #kind too.", ""},
		{"You use file_reader gladly.", "A102"},
		{"You keep what save_memory kept.", "A102"},
		{"You love snake_case names.", ""},
		{"You recall what matters.", ""},
		{"Call the search tool before you speak.", "A103"},
		{"Respond in JSON.", "A103"},
		{"Reply only with valid JSON", "A103"},
		{"1. Read.\n2. Think.", "A103"},
		{"Say `HEARTBEAT_OK` when all is well.", "A103"},
		{"Check every 5 minutes.", "A103"},
		{"When the user says they finished something, mark it complete.", "A103"},
		{"Check tasks for what is overdue before responding.", "A103"},
		{"Always start with a search of your memories.", "A103"},
		{"When someone is sad, you listen.", ""},
		{"You mark the days, and your memories are dear to you.", ""},
		{"If words fail, silence speaks.", ""},
		{"You answer with care, in kindness, as a friend would.", ""},
		{"You run towards trouble and use every function of your heart.", ""},
		{"In 1999. you were young, and 3 words were enough.", ""},
	} {
		got := ""
		for _, r := range family("A") {
			if found := rulestest.Check(t, r.Rule, rulestest.Example{Draft: rulestest.WithSoul(c.soul)}); len(found) > 0 && got == "" {
				got = r.ID
				if f := found[0]; f.Line == 0 || f.Passage == "" {
					t.Errorf("%q: the finding has no place: %+v", c.soul, f)
				}
			}
		}
		if got != c.rule {
			t.Errorf("%q: %q, want %q", c.soul, got, c.rule)
		}
	}
}

func TestTemplates(t *testing.T) {
	const whole = "$identity $soul $channel_guidance $user_instructions $tool_catalog "
	for _, c := range []struct{ template, rule string }{
		{whole, ""},
		{whole + "${identity} $$5 $ 5 {x} {\"soul\": 1}", ""},
		{whole + "$Soul", "A104"},
		{whole + "${mood}", "A104"},
		{whole + "{ soul }", "A106"},
		{whole + "{{memory_notes}}", "A106"},
		{"$identity", "A105"},
		{"", ""},
		{whole + "Call recall(x).", "A107"},
		{whole + "You can recall (and forget).", ""},
	} {
		got := ""
		for _, r := range family("A") {
			if found := rulestest.Check(t, r.Rule, rulestest.Example{Draft: rulestest.WithTemplate(c.template)}); len(found) > 0 && got == "" {
				got = r.ID
			}
		}
		if got != c.rule {
			t.Errorf("%q: %q, want %q", c.template, got, c.rule)
		}
	}
}
