package approval_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/registry"
	"toolcrib/review/approval"
)

func TestPattern(t *testing.T) {
	for pattern, subjects := range map[string]string{
		"tool:project/*/*":       "tool:project/novel/pacer tool:project/pay/send",
		"tool:project/pay/send*": "tool:project/pay/send",
		"agent:global/assistant": "agent:global/assistant",
		"tool:**":                "tool:user/pacer tool:global/pacer tool:project/novel/pacer tool:project/pay/send",
		"*:**":                   "tool:user/pacer tool:global/pacer tool:project/novel/pacer tool:project/pay/send agent:global/assistant list:user/pacer",
		"*:**/pacer":             "tool:user/pacer tool:global/pacer tool:project/novel/pacer list:user/pacer",
		"tool:user/*":            "tool:user/pacer",
		"list:user/p*r":          "list:user/pacer",
		"tool:project/n*/*":      "tool:project/novel/pacer",
	} {
		p, err := approval.ParsePattern(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		if p.String() != pattern {
			t.Errorf("%s is written as %s", pattern, p)
		}
		var got []string
		for _, s := range strings.Fields("tool:user/pacer tool:global/pacer tool:project/novel/pacer tool:project/pay/send agent:global/assistant list:user/pacer") {
			if subject, err := registry.ParseSubject(s); err != nil {
				t.Error(err)
			} else if p.Matches(subject) {
				got = append(got, s)
			}
		}
		if want := strings.Fields(subjects); !slices.Equal(got, want) {
			t.Errorf("%s names %v; want %v", pattern, got, want)
		}
	}
	for _, wrong := range []string{
		"", "tool", "tool:", "**", "robot:user/x", "tool:user", "tool:*/x", "tool:porject/a/b", "tool:project/a", "tool:user/a/b", "tool:project//x",
		"tool:user/[ab]", "tool:user/?", `tool:user/\a`, "tool:user/", "tool:user/**", "tool:project/**/x", "tool:user/ä", "tool:user/a b",
	} {
		if p, err := approval.ParsePattern(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, p)
		}
	}
}

func rule(approvals int, owners ...string) approval.Rule {
	p, err := approval.ParsePattern("tool:**")
	if err != nil {
		panic(err)
	}
	return approval.Rule{Subjects: []approval.Pattern{p}, Owners: owners, Approvals: approvals, From: "user"}
}

func TestTally(t *testing.T) {
	two := approval.Need{rule(2, "user:mara", "user:ada")}
	both := approval.Need{rule(2, "user:mara", "user:ada", "user:kim"), rule(1, "user:sec")}
	shared := approval.Need{rule(2, "user:mara", "user:ada", "user:sec"), rule(1, "user:sec")}
	for _, c := range []struct {
		need   approval.Need
		by     string
		except string
		want   string
	}{
		{nil, "", "", "0 of 1"},
		{nil, "user:eve", "", "1 of 1"},
		{two, "", "", "0 of 2, waits for user:mara and user:ada"},
		{two, "user:mara", "", "1 of 2, waits for user:ada"},
		{two, "user:mara user:mara", "", "1 of 2, waits for user:ada"},
		{two, "user:mara user:eve", "", "1 of 2, waits for user:ada"},
		{two, "user:ada user:mara", "", "2 of 2"},
		{two, "user:ada user:mara", "user:ada", "1 of 2, waits for 1 more, but too few owners can approve"},
		{both, "", "", "0 of 3, waits for 2 of user:mara, user:ada, user:kim and for user:sec"},
		{both, "user:kim user:sec", "", "2 of 3, waits for 1 of user:mara, user:ada"},
		{both, "user:kim user:sec user:ada user:mara", "", "4 of 4"},
		{shared, "", "", "0 of 2, waits for 2 of user:mara, user:ada, user:sec and for user:sec"},
		{shared, "user:sec", "", "1 of 2, waits for 1 of user:mara, user:ada"},
		{shared, "user:mara user:ada", "", "2 of 3, waits for user:sec"},
	} {
		tally := c.need.Tally(strings.Fields(c.by), c.except)
		if got := tally.String(); got != c.want && (c.need != nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%q without %q: %s; want %s", c.by, c.except, got, c.want)
		}
		if tally.Done() != (tally.Missing() == 0) {
			t.Errorf("%q: done %t with %d missing", c.by, tally.Done(), tally.Missing())
		}
	}
	if tally := both.Tally([]string{"user:kim"}, ""); tally.Helps("user:kim") || tally.Helps("user:eve") || !tally.Helps("user:sec") || !tally.Helps("user:ada") {
		t.Errorf("who helps is wrong: %s", tally)
	}
}

// TestMoreRulesOnlyTighten adds a rule to policies of every size, and checks that approvals that are sufficient with it
// are also sufficient without it.
func TestMoreRulesOnlyTighten(t *testing.T) {
	people := []string{"user:mara", "user:ada", "user:kim"}
	var rules []approval.Rule
	for set := 1; set < 8; set++ {
		var owners []string
		for i, p := range people {
			if set&(1<<i) != 0 {
				owners = append(owners, p)
			}
		}
		for n := 1; n <= len(owners); n++ {
			rules = append(rules, rule(n, owners...))
		}
	}
	for _, first := range rules {
		for _, second := range rules {
			for set := range 8 {
				var by []string
				for i, p := range people {
					if set&(1<<i) != 0 {
						by = append(by, p)
					}
				}
				one, other, all := approval.Need{first}.Tally(by, ""), approval.Need{second}.Tally(by, ""), approval.Need{first, second}.Tally(by, "")
				if all.Done() != (one.Done() && other.Done()) {
					t.Fatalf("%s and %s by %v: %t", first, second, by, all.Done())
				}
			}
		}
	}
}

func TestRulesApplyInTheirTime(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	old, renewed := rule(1, "user:mara"), rule(1, "user:ada")
	old.Until, renewed.Since = start, start
	rules := approval.Rules{old, renewed}
	subject := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "pacer"}
	for at, want := range map[time.Time]string{start.Add(-1): "user:mara", start: "user:ada", start.Add(time.Hour): "user:ada"} {
		if got := rules.For(subject, at).Owners(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v; want %s", at, got, want)
		}
	}
	if need := rules.For(registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: "pacer"}, start); need != nil || !need.MayApprove("user:eve") || !need.MayWaive("user:eve") {
		t.Errorf("an agent needs %v", need)
	}
}

func TestProjectOwnersWaiveNothingElse(t *testing.T) {
	own, project := rule(1, "user:mara"), rule(1, "user:eve")
	project.From = approval.FromProject
	if n := (approval.Need{own, project}); n.MayWaive("user:eve") || !n.MayWaive("user:mara") || !n.MayApprove("user:eve") {
		t.Errorf("%v may waive", n.Waivers())
	}
	if n := (approval.Need{project}); !n.MayWaive("user:eve") || n.MayWaive("user:mara") {
		t.Errorf("%v may waive", n.Waivers())
	}
}

func TestCheckRefusesWhatNobodyCanSatisfy(t *testing.T) {
	bad := map[string]approval.Rule{
		"duplicate owner user:mara":                                rule(1, "user:mara", "user:mara"),
		"3 approvals, which is more than its number of owners (2)": rule(3, "user:mara", "user:ada"),
		"approvals must be at least 1 (got 0)":                     rule(0, "user:mara"),
		"no owners":                                                rule(1),
		"no subjects":                                              {Owners: []string{"user:mara"}, Approvals: 1},
		"until must be later than since":                           {Subjects: rule(1).Subjects, Owners: []string{"user:mara"}, Approvals: 1, Since: time.Unix(9, 0), Until: time.Unix(9, 0)},
	}
	for want, r := range bad {
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := rule(2, "user:mara", "user:ada").Check(); err != nil {
		t.Error(err)
	}
}

// TestOwnersInTwoSpellings checks that owners who may be the same principal are rejected (S24).
func TestOwnersInTwoSpellings(t *testing.T) {
	for _, owners := range [][]string{{"user:a", "user:A"}, {"user:mara", "user:ada", "User:Ada"}, {"user:a", "user:a"}} {
		if err := rule(2, owners...).Check(); err == nil {
			t.Errorf("%q are two owners", owners)
		}
	}
	if err := rule(2, "user:a", "user:b").Check(); err != nil {
		t.Error(err)
	}
}

// TestOtherNames matches a subject by its other names.
func TestOtherNames(t *testing.T) {
	p, err := approval.ParsePattern("tool:user/pay_*")
	if err != nil {
		t.Fatal(err)
	}
	s := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "harmless"}
	other := s
	other.Layer = registry.LayerGlobal
	for _, tt := range []struct {
		s     registry.Subject
		names []string
		want  bool
	}{
		{s, nil, false}, {s, []string{"x", "pay_now"}, true}, {s, []string{"Pay.Now"}, true}, {s, []string{"pays"}, false}, {other, []string{"pay_now"}, false},
	} {
		if got := p.Matches(tt.s, tt.names...); got != tt.want {
			t.Errorf("%s with the names %q matches: %v", tt.s, tt.names, got)
		}
	}
}
