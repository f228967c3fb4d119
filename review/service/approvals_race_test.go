package service_test

import (
	"fmt"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/store/storetest"
)

// TestOneVersionOfManyOwners lets sixteen owners concurrently approve a proposal that needs two approvals. There must
// be one version with approvals of two principals.
func TestOneVersionOfManyOwners(t *testing.T) {
	var who []proposals.Actor
	for i := range racers {
		who = append(who, proposals.Actor{Kind: proposals.User, Name: fmt.Sprintf("u%d", i)})
	}
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, who...)}})
	for round := range 5 {
		p := o.propose(scout, storetest.Prompt(fmt.Sprintf("tool_%d", round)))
		made := make([][]proposals.Decision, racers)
		errs := make([]error, racers)
		together(racers, func(i int) { made[i], errs[i] = o.desk.Deciding.Approve(t.Context(), who[i], choices(p), "") })
		endorsed, approved := 0, 0
		for i, err := range errs {
			switch {
			case err != nil && !lost(err):
				t.Error(err)
			case err == nil && made[i][0].Verdict == proposals.VerdictEndorsed:
				endorsed++
			case err == nil:
				approved++
			}
		}
		if v := o.firstVersion(p.Subject); endorsed != 1 || approved != 1 || len(v.Approvals) != 1 || v.Approvals[0].By == v.DecidedBy {
			t.Errorf("%d endorsed, %d approved; the version is by %s and %+v", endorsed, approved, v.DecidedBy, v.Approvals)
		}
	}
	o.sound()
}

// TestOneOwnerCannotApproveTwiceAtOnce approves a proposal several times concurrently as one principal.
func TestOneOwnerCannotApproveTwiceAtOnce(t *testing.T) {
	o := open(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara)}})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	errs := make([]error, racers)
	together(racers, func(i int) { _, errs[i] = o.desk.Deciding.Approve(t.Context(), ada, choices(p), "") })
	o.oneWon(errs)
	o.refused(proposals.ErrNotFound, func() error { return o.notLive(p.Subject) })
	o.sound()
}
