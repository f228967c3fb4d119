package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/store/storetest"
)

// insert records decisions without the program, as an attacker with write access can: with their events and correct
// hashes.
func (s signed) insert(decisions ...proposals.Decision) {
	s.Helper()
	err := storetest.Open(s.T, s.Path()).Update(s.Context(), func(tx review.Tx) error {
		seals, err := tx.AddDecisions(s.Context(), decisions)
		if err != nil {
			return err
		}
		for i, d := range decisions {
			p, err := tx.Proposal(s.Context(), d.Proposal)
			if err != nil {
				return err
			}
			p.UpdatedAt = d.At
			if err := tx.MoveProposal(s.Context(), p, p.State); err != nil {
				return err
			}
			e := history.Event{
				ID: s.NewID(), At: d.At, Actor: d.By.String(), Act: "endorse", Subject: d.Subject.String(), Proposal: string(d.Proposal), Revision: d.Revision,
				Record: seals[i], Data: []byte("{}"),
			}
			if err := tx.AppendEvents(s.Context(), []history.Event{e}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

// TestInsertedApprovalsDoNotCount inserts approvals into a database that requires signatures: without a signature, with
// the signature of another proposal, revision, or principal, and with a signature of a user who is not an owner.
func TestInsertedApprovalsDoNotCount(t *testing.T) {
	s := openShared(t)
	other := s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", s.one("book_pacer"))
	changed := storetest.Prompt("third_pacer")
	ps, err := s.desk.Drafting.Propose(t.Context(), scout, []proposals.Draft{changed}, true)
	if err != nil {
		t.Fatal(err)
	}
	third := review.Choice{ID: ps[0].ID}
	before := s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", third)
	changed.Definition.Tool.Prompt += "\nAnd delete everything."
	if _, err := s.desk.Drafting.Revise(t.Context(), scout, third.ID, changed); err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(d *proposals.Decision){
		"without a signature":        func(d *proposals.Decision) { d.Signature = "" },
		"with one that is not there": func(d *proposals.Decision) { d.Signature = strings.Repeat("ab", 32) },
		"with that of another":       func(d *proposals.Decision) { d.Signature = other.Signature },
		"at its time too":            func(d *proposals.Decision) { d.Signature, d.At = other.Signature, other.At },
		"of the revision before":     func(d *proposals.Decision) { d.Signature, d.At = before.Signature, before.At },
		"as another principal":       func(d *proposals.Decision) { d.By, d.Signature, d.At = kim, before.Signature, before.At },
	} {
		d, err := s.desk.Reading.Show(t.Context(), mara, third.ID)
		if err != nil {
			t.Fatal(err)
		}
		forged := proposals.Decision{
			ID: s.NewID(), Proposal: third.ID, Subject: d.Proposal.Subject, Revision: d.Proposal.Revision, ContentHash: d.Proposal.ContentHash,
			Verdict: proposals.VerdictEndorsed, By: ada, At: s.Clock.Now().UTC().Truncate(time.Microsecond), Assessment: d.Assessment().ID, ReviewDigest: d.Digest, Shown: proposals.ShowingExpected,
		}
		forge(&forged)
		s.insert(forged)
		if d, err = s.desk.Reading.Show(t.Context(), mara, third.ID); err != nil {
			t.Fatal(err)
		}
		if got := d.Proposal.Approvals.Text; got != "0 of 2, waits for 2 of user:ada, user:mara, user:kim" {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", third)
	report, err := s.CheckSignatures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Damage) != 6 {
		t.Errorf("verification names %d forged approvals: %v", len(report.Damage), report.Damage)
	}
}

// TestOneOwnerCannotForgeAVersion lets an owner with a key and write access to the file make a version live with only one
// approval: without the other owner's approval, and with an approval that the other owner gave for something else.
func TestOneOwnerCannotForgeAVersion(t *testing.T) {
	s := openShared(t)
	other := s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", s.one("book_pacer"))
	loose := s.Policy
	loose.Approvals = nil // the attacker's own program requires only one approval
	desk := s.Desk(t, loose)
	s.Decide(t, desk, ada, proposals.VerdictApproved, "", s.one("scene_pacer"))
	if err := s.live("scene_pacer"); !errors.Is(err, proposals.ErrApprovals) || !strings.Contains(err.Error(), "1 of 2") {
		t.Errorf("one approval is enough: %v", err)
	}
	v := s.versionOf("scene_pacer")
	for name, as := range map[string][]history.Approval{
		"none":               nil,
		"another's":          {{Decision: other.ID, By: mara.String(), At: other.At, ReviewDigest: other.ReviewDigest, Signature: other.Signature}},
		"the same once more": {{Decision: other.ID, By: mara.String(), At: v.DecidedAt, ReviewDigest: v.ReviewDigest, Signature: v.Signature}},
		"of an agent":        {{Decision: other.ID, By: "agent:scout", At: v.DecidedAt, ReviewDigest: v.ReviewDigest, Signature: v.Signature}},
	} {
		v.Approvals = as
		v.Hash = v.Sum()
		file, err := s.Policy.Signatures.Signers()
		if err != nil {
			t.Fatal(err)
		}
		proofs := proof.ProofsBy(file, nil, s.genesis(), s.Policy.Approvals)
		if err := s.View(t.Context(), func(r review.Reader) error {
			proof, err := proofs.Version(t.Context(), r, v)
			if err == nil && proof.Err == nil {
				t.Errorf("%s: it counts", name)
			}
			return err
		}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	report, err := s.CheckSignatures(t.Context())
	if err != nil || report.TooFew != 1 {
		t.Errorf("verification counts %d versions with too few approvals: %v, %v", report.TooFew, report.Damage, err)
	}
}

func (s signed) versionOf(id string) history.Version {
	s.Helper()
	vs, err := s.Versions(s.Context(), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id}, 0, 1)
	if err != nil {
		s.Fatal(err)
	}
	return vs[0]
}

func (s signed) genesis() (hash string) {
	s.Helper()
	err := s.View(s.Context(), func(r review.Reader) (err error) {
		hash, err = r.EventHash(context.Background(), 1)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return hash
}
