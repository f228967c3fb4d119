package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestProposalIsWrittenOnce counts the writes to the row of a submitted proposal: one for the submission, and one for
// the assessment of the built-in reviewer. The row, the issue, and the events must agree (H27).
func TestProposalIsWrittenOnce(t *testing.T) {
	if storetest.OnPostgres() {
		t.Skip("the triggers that count are those of SQLite")
	}
	for name, tt := range map[string]struct {
		policy review.Policy
		state  proposals.State
		writes string
	}{
		"the built-in reviewer": {review.Policy{}, proposals.UserReview, "insert,update"},
		"a chief":               {review.Policy{ManualChief: true}, proposals.ChiefReview, "insert"},
	} {
		t.Run(name, func(t *testing.T) {
			db := storetest.Open(t, filepath.Join(t.TempDir(), "toolcrib.db"))
			desk := db.Desk(t, tt.policy)
			h := openRawDB(t, db)
			for _, statement := range []string{
				"CREATE TABLE writes (what TEXT)",
				"CREATE TRIGGER count_inserts AFTER INSERT ON proposals BEGIN INSERT INTO writes VALUES ('insert'); END",
				"CREATE TRIGGER count_updates AFTER UPDATE ON proposals BEGIN INSERT INTO writes VALUES ('update'); END",
			} {
				if err := h.exec(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			made, err := desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{storetest.Prompt("scene_pacer")}, true)
			if err != nil || len(made) != 1 || made[0].State != tt.state || made[0].Issue == 0 {
				t.Fatalf("%+v, %v", made, err)
			}
			if got := h.text("SELECT group_concat(what) FROM writes"); got != tt.writes {
				t.Errorf("the row is written by %s; want %s", got, tt.writes)
			}
			stored := h.text("SELECT p.issue || ' ' || i.number || ' ' || p.state || ' ' || (SELECT group_concat(act) FROM (SELECT act FROM events WHERE proposal = p.id ORDER BY seq)) "+
				"FROM proposals p JOIN issues i ON i.proposal = p.id WHERE p.id = $1", string(made[0].ID))
			want := "1 1 user_review draft,submit,assess"
			if tt.state == proposals.ChiefReview {
				want = "1 1 chief_review draft,submit"
			}
			if stored != want {
				t.Errorf("stored: %q; want %q", stored, want)
			}
		})
	}
}

// BenchmarkPropose submits new tools, one per call.
func BenchmarkPropose(b *testing.B) {
	db := storetest.Open(b, filepath.Join(b.TempDir(), "toolcrib.db"))
	desk := db.Desk(b, review.Policy{})
	for n := 0; b.Loop(); n++ {
		if _, err := desk.Drafting.Propose(b.Context(), ada, []proposals.Draft{storetest.Prompt(fmt.Sprintf("scene_pacer_%d", n))}, true); err != nil {
			b.Fatal(err)
		}
	}
}
