package service_test

import (
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestChangeSetNameIsReused reuses the name of a change set that has gone live. Its old members must not block the new
// ones.
func TestChangeSetNameIsReused(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	o.approve(ada, o.proposeAll(ada, inSet("pacing", "scene_pacer", "chapter_pacer")...)...)
	again := o.proposeAll(ada, inSet("pacing", "book_pacer", "page_pacer")...)
	o.refused(review.ErrChangeSet, func() error {
		_, err := o.desk.Deciding.Approve(t.Context(), ada, choices(again[0]), "")
		return err
	})
	ids, err := o.desk.Reading.Resolve(t.Context(), "set:pacing")
	if err != nil || len(ids) != 2 || ids[0] != again[0].ID {
		t.Errorf("the set resolves to %v, %v; want those that are not live", ids, err)
	}
	o.approve(ada, again...)
	if ids, err = o.desk.Reading.Resolve(t.Context(), "set:pacing"); err != nil || len(ids) != 4 {
		t.Errorf("the set resolves to %v, %v; want all", ids, err)
	}
}

// TestOthersCannotJoinAChangeSet checks that only the user can join a change set opened by another actor, by proposing,
// by revising, or with a draft.
func TestOthersCannotJoinAChangeSet(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	o.proposeAll(scout, inSet("pacing", "scene_pacer")...)
	o.draft(ada, inSet("drafts", "chapter_pacer")[0])
	own := o.propose(rover, storetest.Prompt("book_pacer"))
	for _, set := range []string{"pacing", "drafts"} {
		for _, by := range []proposals.Actor{rover, carla} {
			for _, submit := range []bool{false, true} {
				o.refused(proposals.ErrAuthority, func() error {
					_, err := o.desk.Drafting.Propose(t.Context(), by, inSet(set, "page_pacer"), submit)
					return err
				})
			}
		}
		o.refused(proposals.ErrAuthority, func() error {
			_, err := o.desk.Drafting.Revise(t.Context(), rover, own.ID, inSet(set, "book_pacer")[0])
			return err
		})
		o.refused(proposals.ErrAuthority, func() error {
			_, err := o.desk.Drafting.Propose(t.Context(), rover, inSet(set, "book_pacer"), true) // becomes a revision
			return err
		})
	}
	o.proposeAll(bob, inSet("pacing", "line_pacer")...)
}

// TestRegroupRefuses checks that no proposal is moved if one of them cannot be moved.
func TestRegroupRefuses(t *testing.T) {
	shortrun.OneGoroutine(t)
	o := open(t, review.Policy{})
	set := o.proposeAll(scout, inSet("pacing", "scene_pacer", "chapter_pacer", "book_pacer")...)
	if _, err := o.desk.Deciding.Decide(t.Context(), ada, choices(set[1]), proposals.VerdictNeedsChanges, "Not yet."); err != nil {
		t.Fatal(err)
	}
	o.reject(ada, set[2], "No.")
	for name, test := range map[string]struct {
		want error
		into string
		last proposals.Proposal
	}{
		"the same set":     {proposals.ErrUnchanged, "pacing", set[0]},
		"no name of a set": {review.ErrExcess, "a\nb", set[0]},
		"sent back":        {proposals.ErrState, "tempo", set[1]},
		"rejected":         {proposals.ErrState, "tempo", set[2]},
		"not there":        {proposals.ErrNotFound, "tempo", proposals.Proposal{ID: "01990000-ffff-7000-8000-000000000000"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := testDesk{Database: o.Database, T: t, desk: o.desk}
			o.refused(test.want, func() error {
				_, err := o.desk.Drafting.Regroup(t.Context(), ada, []proposals.ID{set[0].ID, test.last.ID}, test.into)
				return err
			})
		})
	}
	o.refused(proposals.ErrNotFound, func() error { _, err := o.desk.Reading.OpenMembers(t.Context(), "nothing"); return err })
}
