package proposals

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestNext checks every act in every state against a list of the transitions.
func TestNext(t *testing.T) {
	moves := map[State]map[Act]State{
		Drafted:      {ActRevise: Drafted, ActSubmit: ChiefReview, ActWithdraw: Withdrawn},
		ChiefReview:  {ActRevise: ChiefReview, ActAssess: UserReview, ActWithdraw: Withdrawn},
		NeedsChanges: {ActRevise: ChiefReview, ActWithdraw: Withdrawn},
		UserReview: {
			ActRevise: ChiefReview, ActAssess: UserReview, ActWaive: UserReview, ActUnwaive: UserReview, ActWithdraw: Withdrawn,
			ActEndorse: UserReview, ActApprove: Approved, ActRequestChanges: NeedsChanges, ActReject: Rejected,
		},
	}
	acts := []Act{"", "unknown"}
	for act := range authority {
		acts = append(acts, act)
	}
	for _, s := range append(States(), "", "unknown") {
		for _, act := range acts {
			got, err := Next(s, act)
			want, possible := moves[s][act]
			switch {
			case possible && (err != nil || got != want):
				t.Errorf("%s in %s leads to %s, %v; want %s", act, s, got, err, want)
			case !possible && (!errors.Is(err, ErrState) || strings.Contains(err.Error(), ": ")):
				t.Errorf("%s in %s leads to %s, %v; want ErrState", act, s, got, err)
			case !possible && got != s:
				t.Errorf("%s in %s was refused but leads to %s", act, s, got)
			}
		}
	}
}

// TestStates compares the properties of the states with the transitions.
func TestStates(t *testing.T) {
	all := States()
	for s, moves := range next {
		if !slices.Contains(all, s) {
			t.Errorf("%s is not listed", s)
		}
		if _, ok := moves[ActWithdraw]; !ok {
			t.Errorf("%s is open and cannot be withdrawn", s)
		}
		for act, to := range moves {
			if !slices.Contains(all, to) {
				t.Errorf("%s in %s leads to %s, which is not listed", act, s, to)
			}
			if to == Approved && (s != UserReview || act != ActApprove) {
				t.Errorf("%s in %s approves", act, s)
			}
		}
	}
	open := slices.IndexFunc(all, func(s State) bool { return !s.Open() })
	for i, s := range all {
		if s.Open() != (i < open) {
			t.Errorf("%s: open is %t; the open states come first", s, s.Open())
		}
	}
	if got := all[open:]; !slices.Equal(got, []State{Approved, Rejected, Withdrawn}) {
		t.Errorf("closed are %v", got)
	}
}

// TestLower checks the order of recommendations, and that unknown ones are ignored.
func TestLower(t *testing.T) {
	order := []Recommendation{"", RecommendApprove, RecommendNeedsChanges, RecommendReject}
	for i, a := range order {
		for j, b := range order {
			if got := a.Lower(b); got != order[max(i, j)] {
				t.Errorf("%q.Lower(%q) is %q", a, b, got)
			}
		}
		if got := a.Lower("perfect"); got != a {
			t.Errorf("%q.Lower(perfect) is %q", a, got)
		}
	}
}
