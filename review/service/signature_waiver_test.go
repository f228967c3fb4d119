package service_test

import (
	"errors"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// waivable is a proposal with a finding that can be waived.
type waivable struct {
	signed
	id     proposals.ID
	handle string
}

func openWaivable(t *testing.T) waivable {
	t.Helper()
	s := openSigned(t, review.Policy{}, ada)
	w := waivable{signed: s, id: storetest.ProposeChoices(t, s.desk, scout, withAlias(storetest.Prompt("scene_pacer"), "get_task"))[0].ID}
	w.handle = review.Handle(w.finding().Finding)
	return w
}

// finding returns the finding in its current state.
func (w waivable) finding() review.Standing {
	w.Helper()
	o, err := w.desk.Reading.Show(w.Context(), ada, w.id)
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range o.Standing {
		if f.Waivable {
			return f
		}
	}
	w.Fatalf("nothing can be waived: %+v", o.Standing)
	return review.Standing{}
}

func (w waivable) waive(desk *service.Desk, reason string, until *time.Time) error {
	_, err := desk.Deciding.Waive(w.Context(), ada, w.id, w.handle, reason, until)
	return err
}

// signWaiver returns a desk with a signed waiver.
func (w waivable) signWaiver(reason string) *service.Desk {
	w.Helper()
	prepared, err := w.desk.Deciding.PrepareWaiver(w.Context(), ada, w.id, w.handle, reason, nil)
	if err != nil {
		w.Fatal(err)
	}
	return w.desk.Signed(w.Sign(w, ada, prepared))
}

// report checks the numbers of signed and unsigned statements.
func (w waivable) report(signed, unsigned int64) {
	w.Helper()
	if report, err := w.CheckSignatures(w.Context()); err != nil || report.Signed != signed || report.Unsigned != unsigned {
		w.Errorf("the report is %+v, %v", report, err)
	}
}

// TestSignedWaivers waives a blocking finding with a signature, and inserts a waiver without one, which must have no
// effect.
func TestSignedWaivers(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := openWaivable(t)
	if err := w.waive(w.desk, "It is known.", nil); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("unsigned: %v", err)
	}
	signed := w.signWaiver("It is known.")
	if err := w.waive(signed, "Something else.", nil); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("another reason: %v", err)
	}
	later := w.Clock.Now().Add(time.Hour)
	if err := w.waive(signed, "It is known.", &later); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("another expiry: %v", err)
	}
	byHand, err := w.desk.DryRun().Deciding.Waive(t.Context(), ada, w.id, w.handle, "By hand.", nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func(tx review.Tx) error { _, err := tx.AddWaiver(t.Context(), w.id, byHand); return err }
	if err := storetest.Open(t, w.Path()).Update(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	if got := w.finding(); got.Waiver != nil {
		t.Errorf("the waiver by hand covers the finding: %+v", got.Waiver)
	}
	if err := w.waive(signed, "It is known.", nil); err != nil {
		t.Fatal(err)
	}
	if got := w.finding(); got.Waiver == nil || got.Waiver.Signature == "" {
		t.Errorf("the signed waiver covers nothing: %+v", got)
	}
	w.report(1, 1)
}

// TestSignedEndOfWaiver ends a signed waiver with another signature.
func TestSignedEndOfWaiver(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := openWaivable(t)
	if err := w.waive(w.signWaiver("It is known."), "It is known.", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Deciding.Unwaive(t.Context(), ada, w.id, w.handle, "It is gone."); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("an unsigned end: %v", err)
	}
	prepared, err := w.desk.Deciding.PrepareUnwaive(t.Context(), ada, w.id, w.handle, "It is gone.")
	if err != nil {
		t.Fatal(err)
	}
	signed := w.desk.Signed(w.Sign(t, ada, prepared))
	if err := w.waive(signed, "It is gone.", nil); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("a waiver with the signature of its end: %v", err)
	}
	if _, err := signed.Deciding.Unwaive(t.Context(), ada, w.id, w.handle, "It is gone."); err != nil {
		t.Fatal(err)
	}
	if got := w.finding(); got.Waiver != nil {
		t.Errorf("the ended waiver covers the finding: %+v", got.Waiver)
	}
	if _, err := w.desk.Deciding.PrepareUnwaive(t.Context(), ada, w.id, w.handle, "Once more."); !errors.Is(err, review.ErrNotWaived) {
		t.Errorf("the end of no waiver: %v", err)
	}
	w.report(2, 0)
}

// TestSignedEndOfWaiverCannotBeUndone deletes the signed end of a waiver without the program. The waiver must not
// become valid again (S21).
func TestSignedEndOfWaiverCannotBeUndone(t *testing.T) {
	shortrun.OneGoroutine(t)
	w := openWaivable(t)
	if err := w.waive(w.signWaiver("It is known."), "It is known.", nil); err != nil {
		t.Fatal(err)
	}
	prepared, err := w.desk.Deciding.PrepareUnwaive(t.Context(), ada, w.id, w.handle, "It is gone.")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Signed(w.Sign(t, ada, prepared)).Deciding.Unwaive(t.Context(), ada, w.id, w.handle, "It is gone."); err != nil {
		t.Fatal(err)
	}
	if err := w.RawDB(t).Unlocked(t.Context(), "DELETE FROM waivers WHERE seq = (SELECT max(seq) FROM waivers)"); err != nil {
		t.Fatal(err)
	}
	if got := w.finding(); got.Waiver != nil {
		t.Errorf("the ended waiver covers the finding again: %+v", got.Waiver)
	}
}
