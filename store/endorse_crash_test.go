package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// twoOwners are the owners of tools that require two approvals.
var twoOwners = [2]proposals.Actor{{Kind: proposals.User, Name: "ada"}, {Kind: proposals.User, Name: "mara"}}

// twoApprove returns a policy that requires the approval of both owners for each tool.
func twoApprove() review.Policy {
	tools, err := approval.ParsePattern("tool:**")
	if err != nil {
		panic(err)
	}
	rule := approval.Rule{Subjects: []approval.Pattern{tools}, Owners: []string{twoOwners[0].String(), twoOwners[1].String()}, Approvals: len(twoOwners), From: "user"}
	return review.Policy{Severities: storetest.BasicSeverities(), Approvals: approval.Rules{rule}}
}

// endorseForEver creates tools that the first and then the second owner approves. It acknowledges each approval with a
// line on standard output.
func endorseForEver(ctx context.Context, desk *service.Desk, by proposals.Actor, series string) error {
	for i := 0; ; i++ {
		made, err := desk.Drafting.Propose(ctx, by, []proposals.Draft{storetest.Prompt(fmt.Sprintf("tool_%s_%d", series, i))}, true)
		if err != nil {
			return err
		}
		for _, owner := range twoOwners {
			decisions, err := desk.Deciding.Approve(ctx, owner, []review.Choice{{ID: made[0].ID}}, "")
			if err != nil {
				return err
			}
			for _, d := range decisions {
				fmt.Println(d.Verdict, d.Proposal)
			}
		}
	}
}

// TestKilledBetweenApprovals kills processes at random times while two owners approve in turn. Every acknowledged
// approval must exist exactly once. A tool that only the first owner has approved must not be live, and must go live
// when the second approves it.
func TestKilledBetweenApprovals(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	desk := db.Desk(t, twoApprove())
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	endorsed, approved, between := 0, 0, 0
	for kill := range kills() {
		said := map[proposals.ID]proposals.Verdict{} // the last acknowledged verdict
		for _, line := range runAndKill(t, "endorse", db.Path(), kill+1, random) {
			verdict, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			said[proposals.ID(id)] = proposals.Verdict(verdict)
		}
		for id, last := range said {
			switch verdicts := decisionsOf(t, db, id); {
			case verdicts == "endorsed approved":
				approved++
			case verdicts == "endorsed" && last == proposals.VerdictEndorsed:
				endorsed++
			default:
				t.Fatalf("kill %d: %s was acknowledged as %s, and has %q", kill+1, id, last, verdicts)
			}
		}
		between += finish(t, db, desk)
	}
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("damage: %+v", report.Damage)
	}
	if whole() && (approved == 0 || between == 0) {
		t.Error("no process was killed between two approvals")
	}
	t.Logf("%d kills, %d proposals approved twice, %d acknowledged as endorsed only, %d found between their two approvals", kills(), approved, endorsed, between)
}

// decisionsOf returns the verdicts on a proposal, in order.
func decisionsOf(t *testing.T, db *storetest.Database, id proposals.ID) string {
	t.Helper()
	var verdicts []string
	err := db.View(t.Context(), func(r review.Reader) error {
		verdicts = nil // the transaction may be retried
		decisions, err := r.Decisions(t.Context(), id)
		for _, d := range decisions {
			verdicts = append(verdicts, string(d.Verdict))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(verdicts, " ")
}

// finish adds the missing approvals to waiting proposals, and returns the number of proposals that one owner had
// already approved. It checks that these were not live.
func finish(t *testing.T, db *storetest.Database, desk *service.Desk) (between int) {
	t.Helper()
	waiting := list(t, db, review.Query{State: proposals.UserReview, Limit: 100}).Proposals
	for _, p := range waiting {
		missing := twoOwners[:]
		switch verdicts := decisionsOf(t, db, p.ID); verdicts {
		case "":
		case "endorsed":
			between++
			missing = twoOwners[1:]
		default:
			t.Fatalf("%s waits and has %q", p.ID, verdicts)
		}
		if versions, err := db.Versions(t.Context(), p.Subject, 0, 10); !errors.Is(err, proposals.ErrNotFound) {
			t.Fatalf("%s waits and has %d versions, %v", p.ID, len(versions), err)
		}
		for _, owner := range missing {
			if _, err := desk.Deciding.Approve(t.Context(), owner, []review.Choice{{ID: p.ID}}, ""); err != nil {
				t.Fatal(err)
			}
		}
		if versions, err := db.Versions(t.Context(), p.Subject, 0, 10); err != nil || len(versions) != 1 {
			t.Fatalf("%s has %d versions, %v", p.ID, len(versions), err)
		}
	}
	return between
}
