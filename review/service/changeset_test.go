package service_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// inSet returns drafts of new tools in one change set.
func inSet(name string, ids ...string) []proposals.Draft {
	drafts := make([]proposals.Draft, len(ids))
	for i, id := range ids {
		drafts[i] = storetest.Prompt(id)
		drafts[i].ChangeSet = name
	}
	return drafts
}

// TestChangeSetTogether approves three members together, in any order. Fewer members must be rejected.
func TestChangeSetTogether(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer", "book_pacer")...)
	alone := o.propose(scout, storetest.Prompt("bystander"))
	for _, some := range [][]proposals.Proposal{set[:1], set[:2], set[1:], {set[2], alone}} {
		o.refused(review.ErrChangeSet, func() error {
			_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(some...), "")
			return err
		})
	}
	ids, err := o.desk.Reading.Resolve(t.Context(), "set:pacing")
	if err != nil || len(ids) != 3 {
		t.Fatalf("the set resolves to %v, %v", ids, err)
	}
	for i, d := range o.approve(ada, set[2], alone, set[0], set[1]) {
		if d.Version != 1 {
			t.Errorf("decision %d: %+v", i, d)
		}
	}
	o.sound()
}

// repeatedStore runs each read twice, as the store does if the engine ends the first snapshot.
type repeatedStore struct{ review.Store }

func (s repeatedStore) View(ctx context.Context, fn func(review.Reader) error) error {
	_ = s.Store.View(ctx, fn)
	return s.Store.View(ctx, fn)
}

// TestResolveAgain resolves references in a read that is repeated.
func TestResolveAgain(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer")...)
	alone := o.propose(scout, storetest.Prompt("bystander"))
	desk, err := service.New(repeatedStore{o.DB}, review.Policy{Severities: storetest.BasicSeverities()}, o.Clock.Now, o.NewID)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := desk.Reading.Resolve(t.Context(), "set:pacing", string(alone.ID))
	if want := []proposals.ID{set[0].ID, set[1].ID, alone.ID}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("the references resolve to %v, %v, want %v", ids, err, want)
	}
}

// TestOneBadMemberBlocksTheChangeSet makes one of three members impossible to approve, in all possible ways.
func TestOneBadMemberBlocksTheChangeSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, spoil := range map[string]struct {
		want error
		do   func(o testDesk, bad proposals.Proposal) error
	}{
		"a block": {review.ErrBlocked, func(o testDesk, bad proposals.Proposal) error {
			_, err := o.desk.Drafting.Revise(o.Context(), scout, bad.ID, inSetWith("pacing", withAlias(storetest.Prompt("chapter_pacer"), "get_task")))
			return err
		}},
		"a block of a chief": {review.ErrBlocked, func(o testDesk, bad proposals.Proposal) error {
			_, err := o.desk.Assessing.Assess(o.Context(), carla, bad.ID, review.Opinion{Findings: external("definition.prompt", "It lies.")})
			return err
		}},
		"sent back": {proposals.ErrState, func(o testDesk, bad proposals.Proposal) error {
			_, err := o.desk.Deciding.Decide(o.Context(), ada, choices(bad), proposals.VerdictNeedsChanges, "Not yet.")
			return err
		}},
		"rejected": {review.ErrChangeSet, func(o testDesk, bad proposals.Proposal) error {
			_, err := o.desk.Deciding.Decide(o.Context(), ada, choices(bad), proposals.VerdictRejected, "No.")
			return err
		}},
		"stale": {review.ErrStale, func(o testDesk, _ proposals.Proposal) error {
			o.live(storetest.Prompt("chapter_pacer"))
			return nil
		}},
		"a name that another tool took": {review.ErrBlocked, func(o testDesk, _ proposals.Proposal) error {
			o.live(withAlias(storetest.Prompt("bystander"), "chapter_pacer"))
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t, review.Policy{})
			set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer", "book_pacer")...)
			if err := spoil.do(o, set[1]); err != nil {
				t.Fatal(err)
			}
			for _, order := range [][]proposals.Proposal{{set[0], set[1], set[2]}, {set[1], set[0], set[2]}, {set[2], set[0], set[1]}} {
				o.refused(spoil.want, func() error {
					_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(order...), "")
					return err
				})
			}
			o.refused(review.ErrChangeSet, func() error {
				_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(set[0], set[2]), "")
				return err
			})
		})
	}
}

// TestMembersConflict approves members that are valid individually but conflict with each other.
func TestMembersConflict(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	same := inSet("alike", "scene_pacer", "chapter_pacer")
	for i := range same {
		same[i] = withAlias(same[i], "pace")
	}
	set := o.proposeAll(ada, same...)
	o.refused(review.ErrBlocked, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(set...), "")
		return err
	})
	twice := o.proposeAll(ada, inSet("twice", "book_pacer", "book_pacer")...)
	o.refused(proposals.ErrConflict, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(twice...), "")
		return err
	})
}

// TestWithdrawnMemberLeaves approves the other members after the author has withdrawn one.
func TestWithdrawnMemberLeaves(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer")...)
	if _, err := o.desk.Drafting.Withdraw(t.Context(), scout, set[1].ID, ""); err != nil {
		t.Fatal(err)
	}
	o.approve(ada, set[0])
}

// TestAllOrNone proposes several drafts, one of which is invalid.
func TestAllOrNone(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	drafts := inSet("pacing", "scene_pacer", "chapter_pacer", "file_reader", "book_pacer")
	drafts[1].Rationale, drafts[3].Examples = "", nil
	err := o.refused(review.ErrIncomplete, func() error {
		_, err := o.desk.Drafting.Propose(t.Context(), ada, drafts, true)
		return err
	})
	if !errors.Is(err, review.ErrLocked) {
		t.Errorf("%v does not name every member that cannot be", err)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 3 {
		t.Errorf("%v; want three problems", err)
	}
}

func inSetWith(name string, d proposals.Draft) proposals.Draft {
	d.ChangeSet = name
	return d
}

// TestAgentsInChangeSets approves a tool together with the agent that will have it.
func TestAgentsInChangeSets(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	tool, agent := inSetWith("reader", storetest.Prompt("night_reading")), inSetWith("reader", storetest.Agent("night_reader"))
	agent.Definition.Agent.AllowList = &registry.AllowList{Tools: []string{"night_reading"}}
	o.approve(ada, o.proposeAll(ada, tool, agent)...)
	if got := o.inForce(agent.Subject).Definition.Agent.AllowList.Tools; len(got) != 1 {
		t.Errorf("the agent has %v", got)
	}
}

// TestRejectedMember rejects a member of a set. The other members cannot go live until the user regroups them; they
// then go live with their authors' texts.
func TestRejectedMember(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{FourEyes: true})
	set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer", "book_pacer")...)
	draft := o.draft(scout, inSet("pacing", "verse_pacer")[0])
	o.reject(ada, set[1], "Not this one.")
	err := o.refused(review.ErrChangeSet, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(set[0], set[2], draft), "")
		return err
	})
	if err != nil && !strings.Contains(err.Error(), "#2 (tool:user/chapter_pacer) was rejected, so the change set \"pacing\"") || !strings.Contains(err.Error(), "toolcrib regroup 'set:pacing'") {
		t.Errorf("%v does not say what to do", err)
	}
	if obstacles := o.show(ada, set[0]).Obstacles; len(obstacles) != 1 || !errors.Is(obstacles[0], review.ErrChangeSet) {
		t.Errorf("the page says %v", obstacles)
	}
	o.refused(proposals.ErrState, func() error { _, err := o.desk.Deciding.Approve(t.Context(), ada, choices(set[1]), ""); return err })

	ids, err := o.desk.Reading.OpenMembers(t.Context(), "pacing")
	if err != nil || !slices.Equal(ids, []proposals.ID{set[0].ID, set[2].ID, draft.ID}) {
		t.Fatalf("open are %v, %v", ids, err)
	}
	for _, by := range []proposals.Actor{rover, carla} {
		o.refused(proposals.ErrAuthority, func() error { _, err := o.desk.Drafting.Regroup(t.Context(), by, ids, "tempo"); return err })
	}
	digest := o.show(ada, set[0]).Digest
	moved, err := o.desk.Drafting.Regroup(t.Context(), ada, ids[:2], "tempo")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range moved {
		rev := o.show(ada, p).Revision
		if p.ChangeSet != "tempo" || p.State != proposals.UserReview || p.Revision != 2 || rev.Author != scout {
			t.Errorf("moved: %+v in the words of %s", p, rev.Author)
		}
	}
	if alone, err := o.desk.Drafting.Regroup(t.Context(), scout, ids[2:], ""); err != nil || alone[0].ChangeSet != "" || alone[0].State != proposals.Drafted {
		t.Errorf("alone: %+v, %v", alone, err)
	}
	o.refused(review.ErrDigest, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, []review.Choice{{ID: ids[0], Expect: digest}, {ID: ids[1]}}, "")
		return err
	})
	o.approve(ada, moved...)
	o.sound()
}
