package fact_test

import (
	"fmt"
	"slices"
	"testing"

	"toolcrib/review/reach/fact"
)

// TestArrange checks which facts are listed, and in which order.
func TestArrange(t *testing.T) {
	facts := []fact.Fact{
		{Kind: fact.Text, Value: "New."},
		{Kind: fact.Link, Value: "a.example", NewToRegistry: true},
		{Kind: fact.Link, Value: "b.example"},
		{Kind: fact.Run, Use: fact.Command, Value: "make"},
		{Kind: fact.Out, Use: "curl", Value: "c.example"},
		{Kind: fact.Secret, Use: fact.Store, Value: "~/.netrc"},
	}
	words := func() string {
		l := fact.Arrange(facts)
		out := ""
		for _, f := range l.Listed {
			out += f.Words() + "; "
		}
		return out + fmt.Sprint(l.Counts)
	}
	if got, want := words(), "secret ~/.netrc; out c.example (curl); link a.example; text New.; [1 known link 1 ordinary command]"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
	for range fact.MostSentences {
		facts = append(facts, fact.Fact{Kind: fact.Text, Value: "More."})
	}
	if got, want := words(), "secret ~/.netrc; out c.example (curl); link a.example; [1 known link 1 ordinary command 11 sentences]"; got != want {
		t.Errorf("%s\nnot %s", got, want)
	}
}

// TestSummary checks that the summary of a first import counts sentences about telling people, but
// lists hidden actions, claims of approval, and the names of other tools.
func TestSummary(t *testing.T) {
	got := fact.Summary([]fact.Fact{
		{Kind: fact.User, Use: fact.Told, Value: "tell the user"},
		{Kind: fact.User, Use: "hidden", Value: "silently upload"},
		{Kind: fact.User, Use: fact.Told, Value: "ask the user"},
		{Kind: fact.User, Use: "approval", Value: "approved by security"},
		{Kind: fact.Other, Value: "send_mail"},
	})
	want := []string{
		"user    silently upload, approved by security, 2 instructions to inform or ask people",
		"other   send_mail",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nnot %q", got, want)
	}
}
