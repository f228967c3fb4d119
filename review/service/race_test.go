package service_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

const racers = 16

// together runs n functions concurrently.
func together(n int, run func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			run(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// lost reports whether err means that an act was too late.
func lost(err error) bool {
	return errors.Is(err, proposals.ErrState) || errors.Is(err, proposals.ErrConflict) || errors.Is(err, review.ErrStale)
}

// TestOneOfManyApproves approves a proposal concurrently. One call must create the version, and the others must report
// that they were too late.
func TestOneOfManyApproves(t *testing.T) {
	o := open(t, review.Policy{})
	for round := range 5 {
		p := o.propose(scout, storetest.Prompt(fmt.Sprintf("tool_%d", round)))
		errs := make([]error, racers)
		together(racers, func(i int) {
			_, errs[i] = o.desk.Deciding.Approve(t.Context(), proposals.Actor{Kind: proposals.User, Name: fmt.Sprintf("u%d", i)}, choices(p), "")
		})
		o.oneWon(errs)
		if versions, err := o.Versions(t.Context(), p.Subject, 0, 10); err != nil || len(versions) != 1 {
			t.Errorf("there are versions %+v, %v", versions, err)
		}
	}
	o.sound()
}

// TestOneOfManyChanges approves several changes of the same version concurrently.
func TestOneOfManyChanges(t *testing.T) {
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	o.live(first)
	changes := make([]proposals.Proposal, racers)
	for i := range changes {
		changes[i] = o.propose(ada, storetest.Modify(first, 1, func(t *registry.Tool) { t.Prompt += fmt.Sprintf("\nLine %d.", i) }))
	}
	errs := make([]error, racers)
	together(racers, func(i int) { _, errs[i] = o.desk.Deciding.Approve(t.Context(), ada, choices(changes[i]), "") })
	o.oneWon(errs)
	if got := o.inForce(first.Subject).Version; got != 2 {
		t.Errorf("version %d is live; want 2", got)
	}
	o.sound()
}

// TestOneOfManyVerdicts decides on a proposal with all verdicts concurrently.
func TestOneOfManyVerdicts(t *testing.T) {
	o := open(t, review.Policy{})
	p := o.propose(scout, storetest.Prompt("scene_pacer"))
	errs := make([]error, racers)
	together(racers, func(i int) {
		switch i % 4 {
		case 0:
			_, errs[i] = o.desk.Deciding.Approve(t.Context(), ada, choices(p), "")
		case 1:
			_, errs[i] = o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictRejected, "No.")
		case 2:
			_, errs[i] = o.desk.Drafting.Withdraw(t.Context(), scout, p.ID, "")
		default:
			_, errs[i] = o.desk.Deciding.Decide(t.Context(), ada, choices(p), proposals.VerdictNeedsChanges, "Not yet.")
		}
	})
	won := o.won(errs)
	// If changes were requested, a withdrawal can still follow.
	if state := o.show(ada, p).Proposal.State; won != 1 && (won != 2 || state != proposals.Withdrawn) {
		t.Errorf("%d verdicts hold; the proposal is %s", won, state)
	}
	o.sound()
}

// TestConcurrentProposalsStayWithinLimits lets an agent propose on several connections concurrently. It must stay
// within its limit and have only one proposal per subject.
func TestConcurrentProposalsStayWithinLimits(t *testing.T) {
	o := open(t, review.Policy{MaxOpen: 4})
	together(racers, func(i int) {
		d := withAlias(storetest.Prompt(fmt.Sprintf("tool_%d", i%8)), fmt.Sprintf("alias_%d", i))
		if _, err := o.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{d}, true); err != nil && !errors.Is(err, review.ErrLimit) {
			t.Error(err)
		}
	})
	page, err := o.desk.Reading.List(t.Context(), review.Query{Author: scout.String()})
	if err != nil {
		t.Fatal(err)
	}
	subjects := map[registry.Subject]bool{}
	for _, p := range page.Proposals {
		subjects[p.Subject] = true
	}
	if len(page.Proposals) != 4 || len(subjects) != 4 {
		t.Errorf("%d proposals on %d subjects; want 4 on 4", len(page.Proposals), len(subjects))
	}
	o.sound()
}

// TestMixedWriters lets eight writers perform random acts on the same few proposals during reads. Only expected errors
// may occur, and the resulting data must be valid.
func TestMixedWriters(t *testing.T) {
	const writers, pool = 8, 12
	steps := 40
	if testing.Short() {
		steps = 10 // the race detector slows each down by a factor of twenty
	}
	o := open(t, review.Policy{MaxOpen: 1000})
	all := make([]proposals.Proposal, pool)
	for i := range all {
		all[i] = o.waiting(scout, fmt.Sprintf("tool_%d", i))
	}
	expected := []error{
		proposals.ErrState, proposals.ErrConflict, review.ErrStale, review.ErrBlocked, proposals.ErrUnchanged, proposals.ErrNotFound,
		review.ErrRepeated, review.ErrIncomplete, review.ErrAmbiguous,
	}
	together(writers, func(w int) {
		random := rand.New(rand.NewPCG(1, uint64(w)))
		table := acts()
		for step := range steps {
			p := all[random.IntN(pool)]
			a := table[random.IntN(len(table))]
			by := ada
			if a.name == proposals.ActAssess {
				by = carla
			}
			err := a.try(t.Context(), o.desk, by, p)
			if step%8 == 7 {
				_, err = o.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{storetest.Prompt(fmt.Sprintf("fresh_%d_%d", w, step))}, true)
			}
			if !isOneOf(err, expected) {
				t.Errorf("writer %d, %s of %s: %v", w, a.name, p.Subject, err)
			}
			if _, err := o.desk.Reading.Show(t.Context(), ada, p.ID); err != nil {
				t.Errorf("writer %d looks at %s: %v", w, p.Subject, err)
			}
			if _, err := o.desk.Reading.List(t.Context(), review.Query{Filter: "tool"}); err != nil {
				t.Errorf("writer %d lists: %v", w, err)
			}
		}
	})
	o.sound()
}

func isOneOf(err error, targets []error) bool {
	for _, target := range targets {
		if errors.Is(err, target) {
			return true
		}
	}
	return err == nil
}

// oneWon checks that exactly one racer succeeded and the others were too late.
func (o testDesk) oneWon(errs []error) {
	o.Helper()
	if won := o.won(errs); won != 1 {
		o.Errorf("%d of %d got through", won, len(errs))
	}
}

// won returns the number of racers that succeeded, and checks that the others were too late.
func (o testDesk) won(errs []error) int {
	o.Helper()
	won := 0
	for i, err := range errs {
		switch {
		case err == nil:
			won++
		case !lost(err):
			o.Errorf("racer %d: %v", i, err)
		}
	}
	return won
}
