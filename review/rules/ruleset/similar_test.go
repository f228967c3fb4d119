package ruleset

import (
	"context"
	"testing"

	"toolcrib/review/rules"
)

// askedWorld is a World that records whether it was queried for similar tools.
type askedWorld struct {
	rules.Memory
	alike bool
}

func (a *askedWorld) Alike(ctx context.Context, t *rules.Peer) ([]*rules.Peer, error) {
	a.alike = true
	return a.Memory.Alike(ctx, t)
}

// TestQueriesSimilar checks that QueriesSimilar of every rule is correct for its bad example.
func TestQueriesSimilar(t *testing.T) {
	for _, r := range everyRule() {
		w := &askedWorld{Memory: r.bad.Live}
		if _, err := r.Check(t.Context(), &rules.Change{Draft: r.bad.Draft, World: w, Prompts: r.bad.Prompts}); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if w.alike != r.QueriesSimilar {
			t.Errorf("%s says %v and it is %v that it asks what is alike", r.ID, r.QueriesSimilar, w.alike)
		}
	}
}
