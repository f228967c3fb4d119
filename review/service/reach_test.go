package service_test

import (
	"slices"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/reach/fact"
	"toolcrib/store/storetest"
)

// TestReach checks the facts that a change adds to the reach of a tool and removes from it, and which of them the
// approved versions of other tools already have.
func TestReach(t *testing.T) {
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	draft := func(id, text string) proposals.Draft {
		d := storetest.Prompt(id)
		d.Definition.Tool.Prompt += "\n\n" + text
		return d
	}
	db.Approved(t, desk, ada, draft("other_tool", "Run `curl https://Known.Hours.net/a` first."))
	db.Approved(t, desk, ada, draft("scene_pacer", "Run `git push --force` last. See <https://kept.hours.net>."))
	d := draft("scene_pacer", "Run `curl https://known.hours.net/b` and `curl https://new.hours.net`. See <https://kept.hours.net>.")
	d.Type, d.BaseVersion = proposals.Modify, new(1)
	ps, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{d}, true)
	if err != nil {
		t.Fatal(err)
	}
	show, err := desk.Reading.Show(t.Context(), mara, ps[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	words := func(list []fact.Fact) (out []string) {
		for _, f := range list {
			if f.Kind == fact.Text || f.Use == fact.Command {
				continue
			}
			word := string(f.Kind) + " " + f.Value + " " + f.Path
			if f.NewHere {
				word += " here"
			}
			if f.NewToRegistry {
				word += " registry"
			}
			out = append(out, word)
		}
		return out
	}
	for what, got := range map[string]struct{ is, want []string }{
		"added":     {words(show.Reach.Added), []string{"out known.hours.net prompt here", "out new.hours.net prompt here registry"}},
		"removed":   {words(show.Reach.Removed), []string{"rights git push --force prompt"}},
		"unchanged": {words(show.Reach.Unchanged), []string{"link kept.hours.net prompt"}},
	} {
		if !slices.Equal(got.is, got.want) {
			t.Errorf("%s: %q, not %q", what, got.is, got.want)
		}
	}
}
