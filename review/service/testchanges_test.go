package service_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolcrib/history/diff"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestDroppedTestCases drafts changes that weaken the test cases of a live tool, and checks that the dossier and its
// diff show this (C42).
func TestDroppedTestCases(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	draft := storetest.Prompt("scene_pacer")
	o.live(draft)
	base := 1
	draft.Type, draft.BaseVersion = proposals.Modify, &base
	cases := draft.TestCases
	weaker := cases[1]
	weaker.Checks = []proposals.Check{{Type: proposals.CheckContains, Value: json.RawMessage(`"no such words"`)}}
	other := proposals.TestCase{Name: "another", Input: "Another scene", Expect: cases[1].Expect, Output: cases[1].Output, Checks: cases[1].Checks}
	renamed := cases[1]
	renamed.Name = "as before"
	for _, tt := range []struct {
		name  string
		cases []proposals.TestCase
		want  string
	}{
		{"the same", cases, ""},
		{"in another order", []proposals.TestCase{cases[1], cases[0]}, ""},
		{"dropped", []proposals.TestCase{cases[0], other}, "removed " + cases[1].Name + ", added another"},
		{"weaker", []proposals.TestCase{cases[0], weaker}, "modified " + cases[1].Name},
		{"renamed", []proposals.TestCase{cases[0], renamed}, "modified as before"},
		{"one more", append(append([]proposals.TestCase{}, cases...), other), "added another"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			o.T = t
			draft := draft
			draft.TestCases, draft.Definition.Tool.Goals = tt.cases, "Find where it drags, "+tt.name+"."
			d := o.show(ada, o.propose(ada, draft))
			var got []string
			for _, c := range d.TestChanges() {
				got = append(got, string(c.Change)+" "+c.Name)
				if (c.Before == "") != (c.Change == diff.Added) || (c.After == "") != (c.Change == diff.Removed) {
					t.Errorf("%s %s goes from %q to %q", c.Change, c.Name, c.Before, c.After)
				}
			}
			if said := strings.Join(got, ", "); said != tt.want {
				t.Errorf("the test cases: %q; want %q", said, tt.want)
			}
			fields := 0
			for _, f := range diff.Contents(d.Change()) {
				if f.Beside {
					fields++
				}
			}
			if fields != len(got) {
				t.Errorf("the diff has %d changed test cases; want %d", fields, len(got))
			}
		})
	}
	draft.Type, draft.Definition = proposals.Deactivate, registry.Definition{}
	draft.TestCases = []proposals.TestCase{cases[0], other}
	if d := o.show(ada, o.propose(ada, draft)); d.TestChanges() != nil {
		t.Errorf("a tool that goes out of use drops %v", d.TestChanges())
	}
}
