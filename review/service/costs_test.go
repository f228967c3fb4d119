package service_test

import (
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/prompt"
	"toolcrib/prompt/tokens"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/rules"
	"toolcrib/store/storetest"
)

// shop returns a desk in which an agent has all tools of a category.
func shop(t *testing.T, template string) (testDesk, registry.Subject) {
	t.Helper()
	severities := storetest.BasicSeverities()
	delete(severities, "B201")
	o := open(t, review.Policy{Severities: severities})
	d := storetest.Agent("keeper")
	d.Definition.Agent.AllowList = &registry.AllowList{Name: "own", Categories: []string{"web"}}
	d.Definition.Agent.PromptTemplate = template
	o.approve(ada, o.propose(ada, d))
	return o, d.Subject
}

// inShop returns a tool of that category with the given number of words in its prompt.
func inShop(id string, words int) proposals.Draft {
	d := storetest.Prompt(id)
	d.Definition.Tool.Category = "web"
	d.Definition.Tool.Prompt = strings.TrimSpace(strings.Repeat("harbour lamp ", words/2)) + "."
	return d
}

func budgetFindings(ds ...review.Standing) []string {
	var found []string
	for _, f := range ds {
		if strings.HasPrefix(f.Rule, "B") {
			found = append(found, f.Rule+" "+f.Passage)
		}
	}
	slices.Sort(found)
	return found
}

func TestGrowingPromptIsReported(t *testing.T) {
	shortrun.OneGoroutine(t)
	o, agent := shop(t, "$tool_catalog")
	o.approve(ada, o.propose(ada, inShop("small_one", 200)))
	if got := budgetFindings(o.show(ada, o.propose(ada, inShop("small_two", 400))).Standing...); got != nil {
		t.Errorf("a small tool: %v", got)
	}
	var want []string
	for _, channel := range []string{prompt.Web, prompt.Telegram, prompt.SessionOpen, prompt.Scheduled, prompt.Heartbeat} {
		want = append(want, "B201 "+agent.String()+"#"+channel)
	}
	slices.Sort(want)
	shown := o.show(ada, o.propose(ada, inShop("large_one", 3_000)))
	if got := budgetFindings(shown.Standing...); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// The numbers equal those of a preview.
	previews, err := o.desk.Impact.Preview(t.Context(), []proposals.ID{shown.Proposal.ID}, "", impact.Scene{Layer: registry.LayerUser, Where: impact.ReferenceContext(), Context: prompt.Reference()})
	previews = slices.DeleteFunc(previews, func(p impact.Preview) bool { return p.Agent != agent }) // the author has every prompt tool
	if err != nil || len(previews) != 1 {
		t.Fatalf("%d previews, %v", len(previews), err)
	}
	counter := tokens.NewCounter()
	costs, err := costsOf(t, o, inShop("large_one", 3_000), counter)
	if err != nil || len(costs) != 5 {
		t.Fatalf("%+v, %v", costs, err)
	}
	for i, c := range costs {
		before, err := counter.CountO200k(previews[0].Now[i].Text)
		if err != nil {
			t.Fatal(err)
		}
		after, err := counter.CountO200k(previews[0].Then[i].Text)
		if err != nil {
			t.Fatal(err)
		}
		if want := (rules.PromptCost{Agent: agent, Channel: previews[0].Now[i].Channel, Before: before, After: after}); c != want {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	// A tool of another agent has no cost here.
	other := inShop("large_two", 3_000)
	other.Definition.Tool.Category = "todo"
	if costs, err := costsOf(t, o, other, counter); err != nil || costs != nil {
		t.Errorf("%+v, %v", costs, err)
	}
}

func costsOf(t *testing.T, o testDesk, d proposals.Draft, counter *tokens.Counter) (costs []rules.PromptCost, err error) {
	t.Helper()
	return costs, o.View(t.Context(), func(r review.Reader) error {
		var err error
		costs, err = impact.NewSnapshot(r).Costs(t.Context(), d, counter)
		return err
	})
}

// TestPromptThatWouldBeTruncated adds a small tool to an agent with a template that repeats the tools so often that the
// prompt exceeds its limit.
func TestPromptThatWouldBeTruncated(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	o, agent := shop(t, strings.Repeat("$tool_catalog\n", 2_000)+"Never send anything away.")
	o.approve(ada, o.propose(ada, inShop("small_one", 1_000)))
	shown := o.show(ada, o.propose(ada, inShop("small_two", 1_200)))
	found := budgetFindings(shown.Standing...)
	if want := "B202 " + agent.String() + "#" + prompt.Web; !slices.Contains(found, want) {
		t.Errorf("got %v, want %s", found, want)
	}
}
