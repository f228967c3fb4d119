package fact_test

import (
	"fmt"
	"testing"

	"toolcrib/review/reach/fact"
)

// TestArrange checks what a reader sees of facts one by one, and in which order.
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
