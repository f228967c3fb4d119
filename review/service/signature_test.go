package service_test

import (
	"errors"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
	"toolcrib/signing/statement"
	"toolcrib/store/storetest"
)

// signed is a test desk whose decisions are signed.
type signed struct {
	*storetest.Signing
	*testing.T
	desk *service.Desk
}

func openSigned(t *testing.T, policy review.Policy, users ...proposals.Actor) signed {
	t.Helper()
	return openSignedIn(t, storetest.New(t), policy, users...)
}

func openSignedIn(t *testing.T, db *storetest.Database, policy review.Policy, users ...proposals.Actor) signed {
	t.Helper()
	policy.Severities = storetest.BasicSeverities()
	s := storetest.StartSigning(t, db, policy, users...)
	return signed{s, t, s.Desk(t, s.Policy)}
}

// TestSignedDecisions decides with each verdict on one proposal, on a change set, and on several proposals, and reads
// the recorded data.
func TestSignedDecisions(t *testing.T) {
	s := openSigned(t, review.Policy{}, ada)
	set := func(id string) proposals.Draft {
		d := storetest.Prompt(id)
		d.ChangeSet = "spring"
		return d
	}
	for name, one := range map[string]struct {
		verdict proposals.Verdict
		drafts  []proposals.Draft
		set     string
	}{
		"one":         {proposals.VerdictApproved, []proposals.Draft{storetest.Prompt("one_pacer")}, ""},
		"change set":  {proposals.VerdictApproved, []proposals.Draft{set("first_pacer"), set("second_pacer")}, "spring"},
		"several":     {proposals.VerdictApproved, []proposals.Draft{storetest.Prompt("third_pacer"), storetest.Prompt("fourth_pacer")}, ""},
		"sent back":   {proposals.VerdictNeedsChanges, []proposals.Draft{storetest.Prompt("fifth_pacer")}, ""},
		"rejected":    {proposals.VerdictRejected, []proposals.Draft{storetest.Prompt("sixth_pacer")}, ""},
		"a next step": {proposals.VerdictApproved, []proposals.Draft{storetest.StatusChange(proposals.Deactivate, toolSubject("get_gmail"), 1, 0)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			note := ""
			if one.verdict != proposals.VerdictApproved {
				note = "Not like this."
			}
			decisions := s.Decide(t, s.desk, ada, one.verdict, note, storetest.ProposeChoices(t, s.desk, scout, one.drafts...)...)
			record := s.record(decisions[0].Signature)
			st, err := statement.Decode([]byte(record.Statement))
			if err != nil {
				t.Fatal(err)
			}
			act, ok := st.Act.(*statement.Decision)
			if !ok || act.Set != one.set || len(act.Items) != len(decisions) || string(act.Verdict) != string(one.verdict) {
				t.Errorf("the statement is about %+v", st.Act)
			}
			for _, d := range decisions {
				if d.Signature != record.Hash || !d.At.Equal(st.At) {
					t.Errorf("%s has the signature %s and the time %s; want %s, %s", d.Subject, d.Signature, d.At, record.Hash, st.At)
				}
				if one.verdict == proposals.VerdictApproved {
					s.signedVersion(d, act)
				}
			}
		})
	}
	s.whole()
}

func toolSubject(id string) registry.Subject {
	return registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: id}
}

// signedVersion compares a version with the item of its statement.
func (s signed) signedVersion(d proposals.Decision, act *statement.Decision) {
	s.Helper()
	err := s.View(s.Context(), func(r review.Reader) error {
		v, err := r.Version(s.Context(), d.Subject, d.Version)
		if err != nil {
			return err
		}
		found := false
		for _, item := range act.Items {
			found = found || item.Subject == v.Subject.String() && item.Sum == v.UnsignedSum() && item.Previous == v.PrevHash
		}
		if !found || v.Signature != d.Signature || v.Hash != v.Sum() {
			s.Errorf("version %d of %s is %+v; the statement has %+v", v.Number, v.Subject, v, act.Items)
		}
		l, err := r.Live(s.Context(), d.Subject)
		if err == nil && (l.Refused != nil || l.Version != d.Version) {
			s.Errorf("%s is at version %d, refused for %v", d.Subject, l.Version, l.Refused)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}

func (s signed) record(hash string) proof.SignatureRecord {
	s.Helper()
	var record proof.SignatureRecord
	err := s.View(s.Context(), func(r review.Reader) error {
		var err error
		record, err = r.Signature(s.Context(), hash)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return record
}

// whole verifies the database.
func (s signed) whole() {
	s.Helper()
	storetest.Sound(s, s.DB)
}

// TestStoredSignaturesHaveOpenSSHFormat verifies stored signatures with ssh-keygen, and makes a decision signed by
// ssh-keygen.
func TestStoredSignaturesHaveOpenSSHFormat(t *testing.T) {
	shortrun.OneGoroutine(t)
	signingtest.NeedsKeygen(t)
	s := openSigned(t, review.Policy{}, ada)
	dir := t.TempDir()
	signingtest.WriteFile(t, dir+"/allowed", s.Line(ada)+"\n")
	check := func(d proposals.Decision) {
		t.Helper()
		r := s.record(d.Signature)
		signingtest.WriteFile(t, dir+"/sig", r.Signature)
		signingtest.MustKeygen(t, []byte(r.Statement), "-Y", "verify", "-n", sshsig.Namespace, "-f", dir+"/allowed", "-I", ada.String(), "-s", dir+"/sig")
	}
	check(s.ApproveSigned(t, s.desk, ada, storetest.Prompt("scene_pacer"))[0])

	choices := storetest.ProposeChoices(t, s.desk, scout, storetest.Prompt("line_pacer"))
	prepared := s.prepare(proposals.VerdictApproved, "", choices...)
	armored := signingtest.MustKeygen(t, prepared, "-Y", "sign", "-n", sshsig.Namespace, "-f", s.Keys[ada].Write(t, ""))
	decisions, err := s.desk.Signed(proof.Signed{Statement: prepared, Signature: armored}).Deciding.Approve(t.Context(), ada, choices, "")
	if err != nil {
		t.Fatal(err)
	}
	check(decisions[0])
}

// TestAlwaysSigned checks that unsigned decisions are rejected even before signing has started.
func TestAlwaysSigned(t *testing.T) {
	shortrun.OneGoroutine(t)
	desk := storetest.New(t).Desk(t, review.Policy{Severities: storetest.BasicSeverities(), Signatures: proof.Policy{Always: true}})
	choices := storetest.ProposeChoices(t, desk, scout, storetest.Prompt("scene_pacer"))
	if _, err := desk.Deciding.Approve(t.Context(), ada, choices, ""); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("approve: %v", err)
	}
	if _, err := desk.Deciding.Decide(t.Context(), ada, choices, proposals.VerdictRejected, "No."); !errors.Is(err, proof.ErrUnsigned) {
		t.Errorf("reject: %v", err)
	}
}

// TestSignedFourEyes approves with keys of the author.
func TestSignedFourEyes(t *testing.T) {
	shortrun.OneGoroutine(t)
	s := openSigned(t, review.Policy{FourEyes: true}, ada, bob)
	choices := storetest.ProposeChoices(t, s.desk, ada, storetest.Prompt("scene_pacer"))
	if _, err := s.desk.Deciding.Prepare(t.Context(), ada, choices, proposals.VerdictApproved, ""); !errors.Is(err, proposals.ErrFourEyes) {
		t.Errorf("the author prepares: %v", err)
	}
	s.Decide(t, s.desk, bob, proposals.VerdictApproved, "", choices...)
	s.whole()
}
