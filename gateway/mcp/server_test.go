package mcp_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"toolcrib/gateway/mcp"
	"toolcrib/proposals"
)

// TestNothingDecides lists all methods that the server can use. None of them approves, rejects or waives anything, or
// answers a pending call. New methods must be reviewed for this before they are added to the list.
func TestNothingDecides(t *testing.T) {
	for given, want := range map[reflect.Type][]string{
		reflect.TypeFor[mcp.Desk]():     {"Comment", "Lint", "LintProposal", "List", "Preview", "Propose", "Rebase", "Resolve", "Revise", "Show", "Submit", "Withdraw"},
		reflect.TypeFor[mcp.Gateway]():  {"Describe", "Execute", "Outcome", "Search", "Tools"},
		reflect.TypeFor[mcp.Registry](): {"Files", "List", "State", "Version", "Wait"},
		reflect.TypeFor[mcp.Prompter](): {"Prompt"},
	} {
		var got []string
		for m := range given.Methods() {
			got = append(got, m.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v; want %v", given, got, want)
		}
	}
}

// TestOnlyAgentsAreServed checks that all other actors are refused.
func TestOnlyAgentsAreServed(t *testing.T) {
	for _, kind := range []proposals.ActorKind{proposals.User, proposals.Chief, proposals.System} {
		if _, err := mcp.New(mcp.Config{As: proposals.Actor{Kind: kind, Name: "x"}}); !errors.Is(err, proposals.ErrAuthority) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if _, err := mcp.New(mcp.Config{As: proposals.Actor{Kind: proposals.Agent, Name: "x"}}); err != nil {
		t.Error(err)
	}
}
