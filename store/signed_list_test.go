package store_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
)

// recordList appends state 2 in the format of earlier versions: the lines of state 1 with a key revocation list that
// contains ada's key, signed by bob.
func (x target) recordList() {
	x.Helper()
	dir := x.TempDir()
	spec, file := filepath.Join(dir, "spec"), filepath.Join(dir, "list")
	signingtest.WriteFile(x, spec, "sha256: "+signingtest.Line(x.Keys[ada].PublicKey())+"\n")
	signingtest.MustKeygen(x.T, nil, "-k", "-q", "-f", file, spec)
	list, err := os.ReadFile(file)
	if err != nil {
		x.Fatal(err)
	}
	states, err := x.desk.Signers.SignersStates(x.Context())
	if err != nil || len(states) != 1 {
		x.Fatalf("%d states, %v", len(states), err)
	}
	state := slices.Concat(bytes.TrimSuffix(states[0].Text, []byte("-\n")), []byte(statement.Sum(list)+"\n"))
	o := x.attempt() // its statement refers to this database and the end of its log
	prepared, err := x.desk.Deciding.Prepare(x.Context(), bob, []review.Choice{{ID: o.Proposal.ID}}, "approved", "")
	if err != nil {
		x.Fatal(err)
	}
	st, err := statement.Decode(prepared)
	if err != nil {
		x.Fatal(err)
	}
	st.Act = &statement.Signers{Number: 2, Previous: statement.Sum(states[0].Text), State: statement.Sum(state)}
	encoded, err := statement.Encode(st)
	if err != nil {
		x.Fatal(err)
	}
	record := x.signatureRecord(x.Sign(x, bob, encoded))
	record.By = bob.String()
	e, err := history.NewEvent(x.NewID(), proof.ActSigners, bob.String(), x.Clock.Now(), map[string]any{
		"number": 2, "state": string(state), "statement": record.Hash, "revoked": base64.StdEncoding.EncodeToString(list),
	})
	if err != nil {
		x.Fatal(err)
	}
	if err := x.Update(x.Context(), func(tx review.Tx) error { return tx.AddSignature(x.Context(), record, e) }); err != nil {
		x.Fatal(err)
	}
}

// TestRecordedRevocationList opens a database in which the last state of the signers has a key revocation list. No
// signature is valid until a state without the list is recorded. That state must not make the revoked key valid again,
// and must not be signed with it.
func TestRecordedRevocationList(t *testing.T) {
	shortrun.OneGoroutine(t)
	signingtest.NeedsKeygen(t)
	ended := func(x target) string {
		return `user:ada valid-before="` + x.Clock.Now().UTC().Format("20060102150405") + `Z" ` + signingtest.Line(x.Keys[ada].PublicKey())
	}
	for name, tt := range map[string]struct {
		lines func(x target) []string
		says  string // expected output of verification, or "" if there is no damage
	}{
		"the line is removed":    {func(x target) []string { return []string{x.Line(bob)} }, "revoked key: the signers file no longer lists SHA256:"},
		"valid-before is put on": {func(x target) []string { return []string{x.Line(bob), ended(x)} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			x := openTarget(t)
			x.recordList()
			if found, counts := x.damage(x.Path()); counts.Signed != 0 || !slices.ContainsFunc(found, containing("but state 2 is in force")) {
				t.Errorf("before the new state verification says %q, %+v", found, counts)
			}
			if _, err := x.desk.Signers.PrepareSigners(t.Context(), bob); !errors.Is(err, signers.ErrChange) || !strings.Contains(err.Error(), "in state 2 of the signers, a key revocation list revokes the key SHA256:") {
				t.Errorf("the file of before the list is recorded: %v", err)
			}
			x.SetSigners(t, tt.lines(x)...)
			prepared, err := x.desk.Signers.PrepareSigners(t.Context(), ada)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := x.desk.Signed(x.Sign(t, ada, prepared)).Signers.ChangeSigners(t.Context(), ada); !errors.Is(err, signers.ErrRevoked) {
				t.Errorf("the revoked key signs the new state: %v", err)
			}
			if state := x.Change(t, x.desk, bob); state.Number != 3 || !strings.HasSuffix(string(state.Text), "\nrevoked -\n") || state.Revoked != nil {
				t.Errorf("the new state is %+v", state)
			}
			found, counts := x.damage(x.Path())
			if tt.says == "" && (len(found) > 0 || counts.Signed != 2) || tt.says != "" && (counts.RevokedKey != 2 || !slices.ContainsFunc(found, containing(tt.says))) {
				t.Errorf("afterwards verification says %q, %+v", found, counts)
			}
		})
	}
	t.Run("the list is taken out of the event", func(t *testing.T) {
		x := openTarget(t)
		x.recordList()
		x.byHand("UPDATE events SET data = replace(data, '\"revoked\"', '\"nothing\"') WHERE act = 'signers'")
		x.SetSigners(t, x.Line(bob))
		if _, err := x.desk.Signers.PrepareSigners(t.Context(), bob); !errors.Is(err, proof.ErrSigners) || !strings.Contains(err.Error(), "refers to a different revocation list") {
			t.Errorf("it goes unnoticed: %v", err)
		}
	})
}
