package facts_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	"toolcrib/registry"
)

// full returns a proposal with all facts.
func full() proposals.Proposal {
	return proposals.Proposal{
		ID: "01a2029f-bed0-7000-8000-000000000001", Type: proposals.Modify, Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "pacer"},
		Title: "Pacer", State: proposals.UserReview, Revision: 2, ContentHash: "ab", BaseVersion: 1, LiveVersion: 2, Author: proposals.Actor{Kind: proposals.Agent, Name: "scout"},
		ChangeSet: "night", Issue: 7, Summary: proposals.Summary{Recommendation: proposals.RecommendReject, Findings: 4, Blocks: 1, Warns: 2, Worst: "block"},
		CreatedAt: time.Unix(1, 0), UpdatedAt: time.Unix(2, 0), Approvals: &proposals.Approvals{Required: 2, Given: []string{"user:bob"}, WaitsFor: []string{"user:ada"}, Text: "1 of 2"},
	}
}

// TestFacts checks the text of each fact for a proposal that has it,
// and that its name is a key in documents.
func TestFacts(t *testing.T) {
	text, err := json.Marshal(facts.DocumentOf(full()))
	if err != nil {
		t.Fatal(err)
	}
	view := facts.View{Age: func(t time.Time) string { return t.UTC().Format(time.TimeOnly) }, Prefix: 10}
	var got []string
	for _, f := range facts.All() {
		if !strings.Contains(string(text), `"`+f.Name+`":`) {
			t.Errorf("the fact %q is not a key in documents", f.Name)
		}
		if f.List.Heading != "" {
			got = append(got, f.List.Heading+"="+f.Text(full(), view))
		}
	}
	want := []string{
		"ISSUE=#7", "ID=01a2029f-b", "STATE=user_review", "TYPE=modify", "SUBJECT=tool:user/pacer", "AUTHOR=agent:scout", "AGE=00:00:01", "ADVICE=reject",
		"FINDINGS=1 block, 2 warnings, 1 more",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
	var page []string
	for _, f := range facts.All() {
		if f.Label != "" {
			page = append(page, f.Label+"="+f.Read(full(), view))
		}
	}
	if want := []string{
		"state=user_review", "author=agent:scout, 00:00:01", "base=version 1", " =stale: version 2 is live now", "set=night", "approvals=1 of 2", "chief=reject",
	}; !slices.Equal(page, want) {
		t.Errorf("page %q; want %q", page, want)
	}
	if got, want := facts.Marks(full()), []string{"stale", "blocked", "set:night", "approvals: 1 of 2"}; !slices.Equal(got, want) {
		t.Errorf("marks %q; want %q", got, want)
	}
	if got := facts.Marks(proposals.Proposal{}); got != nil {
		t.Errorf("marks of an empty proposal: %q", got)
	}
}
