package service_test

import (
	"fmt"
	"reflect"
	"testing"

	"toolcrib/prompt"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/impact"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// TestPreviewsFollowTheRegistry previews a proposal while another process makes tools live and the author revises the
// proposal. Cached previews must match the current registry, revision, and context.
func TestPreviewsFollowTheRegistry(t *testing.T) {
	o := open(t, review.Policy{})
	draft := storetest.Prompt("tool_looked_at")
	p := o.propose(scout, draft)
	reference := impact.Scene{Layer: registry.LayerUser, Where: impact.ReferenceContext(), Context: prompt.Reference()}
	named := reference
	named.Context.UserInstructions = "Answer in Frisian."
	bare := reference
	bare.SkipTools = true
	preview := func(desk *service.Desk, s impact.Scene, agent string) []impact.Preview {
		t.Helper()
		found, err := desk.Impact.Preview(t.Context(), []proposals.ID{p.ID}, agent, s)
		if err != nil || len(found) == 0 {
			t.Fatalf("%d previews: %v", len(found), err)
		}
		return found
	}
	other := func() *service.Desk { return o.Desk(t, review.Policy{Severities: storetest.BasicSeverities()}) }
	var last []impact.Preview
	step := func(name string) {
		t.Helper()
		for range 2 { // first rendered, then cached
			for _, s := range []impact.Scene{reference, named, bare} {
				for _, agent := range []string{"", "assistant"} {
					if got, want := preview(o.desk, s, agent), preview(other(), s, agent); !reflect.DeepEqual(got, want) {
						t.Errorf("%s: the cache has another preview of %q than a desk that never looked", name, agent)
					}
				}
			}
		}
		now := preview(o.desk, reference, "")
		if reflect.DeepEqual(now, last) {
			t.Errorf("%s: the preview did not change", name)
		}
		last = now
	}
	step("at first")
	for round := range 2 {
		live := o.propose(scout, storetest.Prompt(fmt.Sprintf("tool_live_%d", round)))
		d, err := other().Reading.Show(t.Context(), ada, live.ID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other().Deciding.Approve(t.Context(), ada, []review.Choice{{ID: live.ID, Expect: d.Digest}}, ""); err != nil {
			t.Fatal(err)
		}
		step(fmt.Sprintf("tool %d is live", round))
	}
	draft.Definition.Tool.Prompt += "\nUse it once."
	if _, err := o.desk.Drafting.Revise(t.Context(), scout, p.ID, draft); err != nil {
		t.Fatal(err)
	}
	step("revised")
}
