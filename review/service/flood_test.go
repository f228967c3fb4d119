package service_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestFloodingLimit checks the limit on an agent's open proposals, including drafts and those with requested changes.
// Closed proposals do not count, and other actors are not affected.
func TestFloodingLimit(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, limit := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			o := open(t, review.Policy{MaxOpen: limit})
			full := limit
			if limit == 0 {
				full = 10
			}
			mine := make([]proposals.Proposal, full)
			for i := range mine {
				d := storetest.Prompt(fmt.Sprintf("tool_%d", i))
				if i%2 == 0 {
					mine[i] = o.propose(scout, d)
				} else {
					mine[i] = o.draft(scout, d)
				}
			}
			if _, err := o.desk.Deciding.Decide(t.Context(), ada, choices(mine[0]), proposals.VerdictNeedsChanges, "Not yet."); err != nil {
				t.Fatal(err)
			}
			extra := storetest.Prompt("extra")
			for _, submit := range []bool{false, true} {
				o.refused(review.ErrLimit, func() error {
					_, err := o.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{extra}, submit)
					return err
				})
			}
			o.refused(review.ErrLimit, func() error {
				_, err := o.desk.Drafting.Fork(t.Context(), scout, "file_reader", registry.LayerUser)
				return err
			})
			o.propose(rover, storetest.Prompt("rovers"))
			for i := range full + 2 {
				o.propose(ada, storetest.Prompt(fmt.Sprintf("adas_%d", i)))
			}
			if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, mine[0].ID, ""); err != nil {
				t.Fatal(err)
			}
			o.propose(scout, extra)
		})
	}
}

// TestLimitAppliesToAWholeCall proposes more drafts than the limit of an agent in one call. None of them may be stored.
func TestLimitAppliesToAWholeCall(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	drafts := make([]proposals.Draft, 11)
	for i := range drafts {
		drafts[i] = storetest.Prompt(fmt.Sprintf("tool_%d", i))
	}
	o.refused(review.ErrLimit, func() error { _, err := o.desk.Drafting.Propose(t.Context(), scout, drafts, true); return err })
	o.proposeAll(scout, drafts[:10]...)
}

// TestOneOpenPerAgentAndSubject checks that a second proposal by an agent about a subject becomes a revision of the
// first. Proposals by others, and about other subjects, remain separate.
func TestOneOpenPerAgentAndSubject(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	first := storetest.Prompt("scene_pacer")
	second := withAlias(first, "pace_scene")
	p := o.propose(scout, first)
	again := o.propose(scout, second)
	if again.ID != p.ID || again.Revision != 2 || again.ContentHash == p.ContentHash {
		t.Errorf("the second proposal is %+v", again)
	}
	if other := o.propose(rover, first); other.ID == p.ID {
		t.Error("another agent's proposal became a revision")
	}
	o.refused(proposals.ErrUnchanged, func() error {
		_, err := o.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{second}, true)
		return err
	})
	d := o.draft(scout, storetest.Prompt("chapter_pacer"))
	if submitted := o.propose(scout, withAlias(storetest.Prompt("chapter_pacer"), "pace_chapter")); submitted.ID != d.ID || submitted.State != proposals.UserReview {
		t.Errorf("the draft became %+v", submitted)
	}
	d = o.draft(scout, storetest.Prompt("book_pacer"))
	if submitted := o.propose(scout, storetest.Prompt("book_pacer")); submitted.ID != d.ID || submitted.State != proposals.UserReview || submitted.Revision != 1 {
		t.Errorf("the same draft, submitted, became %+v", submitted)
	}
	if mine := o.propose(ada, first); mine.Revision != 1 || o.propose(ada, first).ID == mine.ID {
		t.Error("a user's second proposal became a revision")
	}
}

// TestRejectedContent checks that an agent cannot propose rejected content again, in the same or in another proposal,
// and that the error contains the reason for the rejection.
func TestRejectedContent(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	d := storetest.Prompt("scene_pacer")
	p := o.propose(scout, d)
	o.reject(ada, p, "It flatters the author.")
	again := d
	again.Rationale = "Please."
	for _, by := range []proposals.Actor{scout, rover} {
		err := o.refused(review.ErrRepeated, func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), by, []proposals.Draft{again}, true)
			return err
		})
		if err != nil && !strings.Contains(err.Error(), "It flatters the author.") {
			t.Errorf("%v does not tell why", err)
		}
	}
	changed := o.propose(scout, withAlias(d, "pace_scene"))
	o.refused(review.ErrRepeated, func() error { _, err := o.desk.Drafting.Revise(t.Context(), scout, changed.ID, d); return err })
	draft := o.draft(rover, d)
	o.refused(review.ErrRepeated, func() error { _, err := o.desk.Drafting.Submit(t.Context(), rover, draft.ID); return err })
	o.propose(ada, d) // a user may propose it again
}

// TestIncomplete submits incomplete drafts. The error must list all missing parts. Drafts may be stored without any of
// them.
func TestIncomplete(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	d := proposals.Draft{Type: proposals.New, Subject: storetest.Prompt("scene_pacer").Subject}
	p := o.draft(ada, d)
	for name, try := range map[string]func() error{
		"submit": func() error { _, err := o.desk.Drafting.Submit(t.Context(), ada, p.ID); return err },
		"propose": func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{d}, true)
			return err
		},
	} {
		err := o.refused(review.ErrIncomplete, try)
		var incomplete *review.Incomplete
		if !errors.As(err, &incomplete) {
			t.Fatalf("%s: %v", name, err)
		}
		rules := map[string]bool{}
		for _, problem := range incomplete.Problems {
			rules[problem.Rule] = true
			if problem.Path == "" || problem.Message == "" {
				t.Errorf("%s: %+v has no path or message", name, problem)
			}
		}
		for _, rule := range []string{proposals.RuleDefinition, proposals.RuleRationale, proposals.RuleExamples, proposals.RuleTestCases} {
			if !rules[rule] {
				t.Errorf("%s: %s is not among %v", name, rule, incomplete.Problems)
			}
		}
	}
	submitted := o.propose(ada, storetest.Prompt("chapter_pacer"))
	o.refused(review.ErrIncomplete, func() error {
		_, err := o.desk.Drafting.Revise(t.Context(), ada, submitted.ID, proposals.Draft{Type: proposals.New, Subject: submitted.Subject})
		return err
	})
	for _, nameless := range []proposals.Draft{{}, {Type: proposals.New}, {Subject: d.Subject}} {
		o.refused(review.ErrIncomplete, func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{nameless}, false)
			return err
		})
	}
}

// TestAllAgentsTogether checks that the limit for all agents together applies to an agent that often changes its name,
// but not to users (S11).
func TestAllAgentsTogether(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, most := range []int{0, 7} {
		o := open(t, review.Policy{MaxOpenAll: most})
		if most == 0 {
			most = review.DefaultMaxOpenAll
		}
		kept := 0
		for i := range most + 10 {
			actor := proposals.Actor{Kind: proposals.Agent, Name: fmt.Sprintf("cli%d", i/5)}
			_, err := o.desk.Drafting.Propose(t.Context(), actor, []proposals.Draft{storetest.Prompt(fmt.Sprintf("tool_%d", i))}, false)
			switch {
			case err == nil:
				kept++
			case !errors.Is(err, review.ErrLimit) || !strings.Contains(err.Error(), "for all agents together"):
				t.Fatal(err)
			}
		}
		if kept != most {
			t.Errorf("%d proposals of all agents are open; want %d", kept, most)
		}
		o.propose(ada, storetest.Prompt("adas"))
	}
}
