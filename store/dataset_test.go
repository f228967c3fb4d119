package store_test

import (
	"path/filepath"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// TestDatasetIsSound verifies a generated database and continues to use it, to ensure that measurements apply to
// databases created by the program itself.
func TestDatasetIsSound(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	policy := review.Policy{Severities: storetest.BasicSeverities()}
	rules := storetest.New(t).Desk(t, policy).RulesVersion()
	path := filepath.Join(t.TempDir(), "crowd.db")
	crowd := storetest.Dataset{Tools: 300, Waiting: 20, Versions: 700, Rules: rules}
	if err := crowd.Fill(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if storetest.OnPostgres() {
		path = onServer(t, path)
	}
	db := storetest.Open(t, path)
	report := verify(t, db)
	if len(report.Damage) > 0 {
		t.Fatalf("%d times damage, first %+v", len(report.Damage), report.Damage[0])
	}
	if report.Rows["versions"] != 1052 || report.Rows["decisions"] != 300 || report.Rows["revisions"] != 320 {
		t.Errorf("rows: %v", report.Rows)
	}
	desk := db.Desk(t, policy)
	page := list(t, db, review.Query{Limit: 20})
	choices := make([]review.Choice, len(page.Proposals))
	for i, p := range page.Proposals {
		choices[i] = review.Choice{ID: p.ID, Unseen: p.Type == proposals.New}
	}
	if _, err := desk.Deciding.Approve(t.Context(), ada, choices, ""); err != nil {
		t.Error(err)
	}
	db.Approved(t, desk, ada, storetest.Prompt("scene_pacer"))
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Errorf("afterwards: %+v", report.Damage)
	}
}
