package service_test

import (
	"context"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
)

func TestUses(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	ask := func(text string) []impact.Use {
		t.Helper()
		s, err := registry.ParseSubject(text)
		if err != nil {
			t.Fatal(err)
		}
		uses, err := o.desk.Impact.Uses(context.Background(), s, registry.LayerUser)
		if err != nil {
			t.Fatal(err)
		}
		return uses
	}
	agents, lists := 0, 0
	for _, u := range ask("tool:global/get_tasks") {
		if u.Tool != "get_tasks" || !u.In || u.Why == "" {
			t.Errorf("%+v", u)
		}
		if u.List == "assistant" {
			lists++
		}
		if u.Agent.String() == "agent:global/assistant" {
			agents++
		}
	}
	if agents != 1 || lists != 1 {
		t.Errorf("%d agents and %d lists have get_tasks", agents, lists)
	}
	if n := len(ask("agent:global/assistant")); n != 23 {
		t.Errorf("the assistant has %d tools", n)
	}
	for _, mine := range ask("agent:global/author") { // by kind, and equal in both directions
		var theirs impact.Use
		for _, u := range ask("tool:global/" + mine.Tool) {
			if u.Agent == mine.Agent {
				theirs = u
			}
		}
		if theirs != mine {
			t.Errorf("the author has %+v, and the tool says %+v", mine, theirs)
		}
	}
	if uses := ask("tool:user/nobody_has_it"); len(uses) != 0 {
		t.Errorf("%+v", uses)
	}
	missing := registry.Subject{Kind: registry.KindAgent, Layer: registry.LayerUser, ID: "nobody"}
	if _, err := o.desk.Impact.Uses(context.Background(), missing, registry.LayerUser); err == nil {
		t.Error("an agent that is not there uses something")
	}
}
