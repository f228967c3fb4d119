package storetest

import (
	"testing"

	"toolcrib/history"
	"toolcrib/store"
)

// Verify performs all checks of VerifyWith.
func Verify(t testing.TB, db *store.DB) history.Report {
	t.Helper()
	return VerifyWith(t, db, history.Options{Deep: true})
}

// VerifyWith verifies a database. If the engine interrupts the verification, it is repeated, and VerifyWith returns the
// last report.
func VerifyWith(t testing.TB, db *store.DB, o history.Options) history.Report {
	t.Helper()
	var report history.Report
	err := db.Audit(t.Context(), func(l history.Ledger) (err error) {
		report, err = history.Verify(t.Context(), l, o)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Sound fails the test if the database is damaged.
func Sound(t testing.TB, db *store.DB) {
	t.Helper()
	for _, d := range Verify(t, db).Damage {
		t.Errorf("%s %s: %s", d.Table, d.Key, d.Message)
	}
}
