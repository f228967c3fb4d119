package proposals

import (
	"errors"
	"strings"
	"testing"
)

// TestAuthority checks every act by every kind of actor, on its own proposals and
// on those of others. The expected results are listed here, one act per line, in
// the order user, agent, chief, system, nobody.
func TestAuthority(t *testing.T) {
	own := map[Act]string{
		ActDraft: "yyyy.", ActSubmit: "yyyy.", ActRevise: "yyyy.", ActWithdraw: "yyyy.", ActComment: "yyy..",
		ActAssess:  "..y..",
		ActApprove: "y....", ActEndorse: "y....", ActRequestChanges: "y....", ActReject: "y....", ActWaive: "y....", ActUnwaive: "y....",
		ActApproveCall: "y....", ActRefuseCall: "y....", ActSetTier: "y....",
		ActCreateToken: "y....", ActRevokeToken: "y....", ActPruneCalls: "y....", ActChangeSigners: "y....",
	}
	others := map[Act]string{
		ActDraft: "yyyy.", ActSubmit: "y....", ActRevise: "y..y.", ActWithdraw: "y..y.", ActComment: "yyy..",
		ActAssess:  "..y..",
		ActApprove: "y....", ActEndorse: "y....", ActRequestChanges: "y....", ActReject: "y....", ActWaive: "y....", ActUnwaive: "y....",
		ActApproveCall: "y....", ActRefuseCall: "y....", ActSetTier: "y....",
		ActCreateToken: "y....", ActRevokeToken: "y....", ActPruneCalls: "y....", ActChangeSigners: "y....",
	}
	if len(own) != len(authority) {
		t.Fatalf("the matrix has %d acts, the test %d", len(authority), len(own))
	}
	actors := []Actor{{User, "ada"}, {Agent, "ada"}, {Chief, "ada"}, {Kind: System}, {}}
	for act := range authority {
		for i, actor := range actors {
			outsiders := []Actor{{User, "eve"}, {Agent, "eve"}, {Chief, "eve"}, {Kind: System}, {}}
			for j, kind := range []ActorKind{User, Agent, Chief} {
				if kind != actor.Kind {
					outsiders = append(outsiders, actors[j]) // same name, other role
				}
			}
			authors := map[bool][]Actor{true: {actor}, false: outsiders}
			for mine, table := range map[bool]map[Act]string{true: own, false: others} {
				for _, author := range authors[mine] {
					if !mine && author == actor {
						continue
					}
					err := Authorize(actor, act, author)
					want := table[act][i] == 'y'
					if (err == nil) != want {
						t.Errorf("%q may %s what %q wrote: %t; want %t", actor, act, author, err == nil, want)
					}
					if err != nil && !errors.Is(err, ErrAuthority) {
						t.Errorf("%v does not wrap ErrAuthority", err)
					}
				}
			}
		}
	}
}

// TestAuthorityOfUnknownActs checks that unknown acts are rejected.
func TestAuthorityOfUnknownActs(t *testing.T) {
	for _, act := range []Act{"", "APPROVE", "approve ", "delete"} {
		for _, actor := range []Actor{{User, "ada"}, {Agent, "ada"}, {Chief, "ada"}} {
			if Authorize(actor, act, actor) == nil {
				t.Errorf("%s may %q", actor, act)
			}
		}
	}
	if Authorize(Actor{"USER", "ada"}, ActApprove, Actor{}) == nil || Authorize(Actor{"", "ada"}, ActDraft, Actor{}) == nil {
		t.Error("an unknown kind of actor may do something")
	}
}

// TestAuthoritySaysWhoMay checks that refusals name who may do the act.
func TestAuthoritySaysWhoMay(t *testing.T) {
	ada, scout := Actor{User, "ada"}, Actor{Agent, "scout"}
	for want, err := range map[string]error{
		"only a user can approve a proposal":                           Authorize(scout, ActApprove, scout),
		"only a chief can assess":                                      Authorize(ada, ActAssess, ada),
		"only its own proposals":                                       Authorize(scout, ActRevise, ada),
		"this proposal is by user:ada":                                 Authorize(scout, ActWithdraw, ada),
		"only a user can waive a finding, but you act as chief:desk":   Authorize(Actor{Chief, "desk"}, ActWaive, ada),
		"only a user can approve a call, but you act as agent:s":       Authorize(scout, ActApproveCall, scout),
		"only a user can send a proposal back, but you act as agent:s": Authorize(scout, ActRequestChanges, ada),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not contain %q", err, want)
		}
	}
}

// TestDecisionsAreTheUsers compares the list of decisions with the matrix.
func TestDecisionsAreTheUsers(t *testing.T) {
	for _, act := range []Act{ActApprove, ActRequestChanges, ActReject} {
		for kind, whose := range authority[act] {
			if kind != User && whose != never {
				t.Errorf("%s may %s", kind, act)
			}
		}
	}
}
