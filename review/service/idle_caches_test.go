package service_test

import (
	"fmt"
	"maps"
	"testing"

	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestCachesFollowTheRegistry shows a proposal concurrently while other proposals go live that change the same prompts.
// A reader must never receive cached data of a different state of the registry.
func TestCachesFollowTheRegistry(t *testing.T) {
	o := open(t, review.Policy{})
	agent := storetest.Agent("reader") // its prompt contains all tools
	agent.Definition.Agent.AllowList = &registry.AllowList{Kinds: registry.Kinds{registry.PromptTool}}
	p := o.propose(scout, agent)
	seen := map[string]bool{}
	for round := range 5 {
		o.live(storetest.Prompt(fmt.Sprintf("tool_live_%d", round)))
		want, err := o.Desk(t, review.Policy{Severities: storetest.BasicSeverities()}).Reading.Show(t.Context(), ada, p.ID)
		if err != nil || len(want.Rendered) == 0 || seen[want.Digest] {
			t.Fatalf("round %d: it changes %d prompts, %v", round, len(want.Rendered), err)
		}
		seen[want.Digest] = true
		together(racers, func(int) {
			got, err := o.desk.Reading.Show(t.Context(), ada, p.ID)
			if err != nil || got.Digest != want.Digest || !maps.Equal(got.Rendered, want.Rendered) {
				t.Errorf("round %d: a look has %v, a desk that never looked %v, %v", round, got.Rendered, want.Rendered, err)
			}
		})
	}
}
