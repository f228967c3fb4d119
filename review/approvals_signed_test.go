package review_test

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
	"toolcrib/review/approval"
	"toolcrib/store/storetest"
)

// openShared returns an office in which two of ada, mara and kim sign approvals.
func openShared(t *testing.T) signed {
	t.Helper()
	return openSigned(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara, kim)}}, ada, mara, kim, bob)
}

func (s signed) verdict(by proposals.Actor, want string, c review.Choice) review.Decision {
	s.Helper()
	ds := s.Decide(s.T, s.desk, by, review.VerdictApproved, "", c)
	if got := verdicts(ds); got != want {
		s.Errorf("%s approves: %s; want %s", by, got, want)
	}
	return ds[0]
}

// one proposes a tool.
func (s signed) one(id string) review.Choice {
	s.Helper()
	return s.Propose(s.T, s.desk, scout, storetest.Prompt(id))[0]
}

// live returns why the live version of a tool does not count, nil when it does.
func (s signed) live(id string) (reason error) {
	s.Helper()
	err := s.View(s.Context(), func(r review.Reader) error {
		l, err := r.Live(s.Context(), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: id})
		reason = l.Refused
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return reason
}

// TestSignedApprovalsOfTwo follows approvals of which each has a signature, and
// reads the version by the same policy, by one that came later, and by the owners
// of before.
func TestSignedApprovalsOfTwo(t *testing.T) {
	s := openShared(t)
	c := s.one("scene_pacer")
	first := s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", c)
	last := s.verdict(mara, "approved 2 of 2", c)
	if first.Signature == "" || last.Signature == "" || first.Signature == last.Signature {
		t.Errorf("the signatures are %s and %s", first.Signature, last.Signature)
	}
	if err := s.live("scene_pacer"); err != nil {
		t.Error(err)
	}
	s.whole()

	stricter := func(r approval.Rule) error {
		other := *s.Signing
		other.Policy.Approvals = approval.Rules{r}
		other.Database = other.Open(t, s.Path())
		return signed{&other, t, nil}.live("scene_pacer")
	}
	three, nobody := owners(t, "tool:**", 3, ada, mara, kim), owners(t, "tool:**", 2, mara, kim)
	if err := stricter(three); !errors.Is(err, review.ErrApprovals) || !strings.Contains(err.Error(), "2 of 3, waits for user:kim") {
		t.Errorf("three are asked for: %v", err)
	}
	if err := stricter(nobody); !errors.Is(err, review.ErrApprovals) {
		t.Errorf("an owner is removed: %v", err)
	}
	three.Since, nobody.Since = s.Clock.Now(), s.Clock.Now()
	for _, r := range []approval.Rule{three, nobody} {
		if err := stricter(r); err != nil {
			t.Errorf("%s since now: %v", r, err)
		}
	}
}

// TestRevokedKeyBetweenApprovals revokes the key of the first approval, which counts
// for nothing then; and an owner approves again with another key.
func TestRevokedKeyBetweenApprovals(t *testing.T) {
	s := openShared(t)
	c := s.one("scene_pacer")
	s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", c)
	revoked := s.Revocation(t, ada)
	s.Keys[ada] = s.NewKey(t)
	s.SetSigners(t, revoked, s.Line(ada), s.Line(mara), s.Line(kim))
	s.Change(t, s.desk, mara)
	s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", c)
	s.verdict(ada, "approved 2 of 2", c)
	if err := s.live("scene_pacer"); err != nil {
		t.Error(err)
	}
}

// TestExpiredKeyBetweenApprovals lets the key of the first approval expire, which
// was valid when it signed.
func TestExpiredKeyBetweenApprovals(t *testing.T) {
	s := openShared(t)
	until := s.Clock.Now().Add(time.Hour).UTC().Truncate(time.Minute)
	line := strings.Replace(s.Line(ada), " ", ` valid-before="`+until.Format("200601021504")+`Z" `, 1)
	s.SetSigners(t, nil, line, s.Line(mara), s.Line(kim))
	s.Change(t, s.desk, mara)
	c, other := s.one("scene_pacer"), s.one("book_pacer")
	s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", c)
	s.Clock.Forward(2 * time.Hour)
	statement, err := s.desk.Prepare(t.Context(), ada, []review.Choice{other}, review.VerdictApproved, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Signed(s.Sign(t, ada, statement)).Approve(t.Context(), ada, []review.Choice{other}, ""); !errors.Is(err, review.ErrSignature) {
		t.Errorf("an expired key signs: %v", err)
	}
	s.verdict(mara, "approved 2 of 2", c)
	if err := s.live("scene_pacer"); err != nil {
		t.Error(err)
	}
}

// TestSomethingMovedBeforeTheLastApproval has another owner approve between the
// signature of an approval and its use.
func TestSomethingMovedBeforeTheLastApproval(t *testing.T) {
	s := openShared(t)
	c := []review.Choice{s.one("scene_pacer")}
	statement, err := s.desk.Prepare(t.Context(), ada, c, review.VerdictApproved, "")
	if err != nil {
		t.Fatal(err)
	}
	signature := s.Sign(t, ada, statement)
	s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", c[0])
	if _, err := s.desk.Signed(signature).Approve(t.Context(), ada, c, ""); !errors.Is(err, review.ErrConflict) {
		t.Errorf("the approval of before is used: %v", err)
	}
	s.verdict(ada, "approved 2 of 2", c[0])
	s.whole()
}

// insert records decisions as whoever writes to the file can: with their events, and
// all hashes right.
func (s signed) insert(decisions ...review.Decision) {
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

// TestInsertedApprovalsDoNotCount writes approvals into the database where
// signatures are required: without one, with that of another proposal, revision, or
// principal, and with one by somebody who owns nothing.
func TestInsertedApprovalsDoNotCount(t *testing.T) {
	s := openShared(t)
	other := s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", s.one("book_pacer"))
	changed := storetest.Prompt("third_pacer")
	ps, err := s.desk.Propose(t.Context(), scout, []proposals.Draft{changed}, true)
	if err != nil {
		t.Fatal(err)
	}
	third := review.Choice{ID: ps[0].ID}
	before := s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", third)
	changed.Definition.Tool.Prompt += "\nAnd delete everything."
	if _, err := s.desk.Revise(t.Context(), scout, third.ID, changed); err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(d *review.Decision){
		"without a signature":        func(d *review.Decision) { d.Signature = "" },
		"with one that is not there": func(d *review.Decision) { d.Signature = strings.Repeat("ab", 32) },
		"with that of another":       func(d *review.Decision) { d.Signature = other.Signature },
		"at its time too":            func(d *review.Decision) { d.Signature, d.At = other.Signature, other.At },
		"of the revision before":     func(d *review.Decision) { d.Signature, d.At = before.Signature, before.At },
		"as another principal":       func(d *review.Decision) { d.By, d.Signature, d.At = kim, before.Signature, before.At },
	} {
		d, err := s.desk.Show(t.Context(), mara, third.ID)
		if err != nil {
			t.Fatal(err)
		}
		forged := review.Decision{
			ID: s.NewID(), Proposal: third.ID, Subject: d.Proposal.Subject, Revision: d.Proposal.Revision, ContentHash: d.Proposal.ContentHash,
			Verdict: review.VerdictEndorsed, By: ada, At: s.Clock.Now().UTC().Truncate(time.Microsecond), Assessment: d.Assessment().ID, ReviewDigest: d.Digest, Shown: review.ShowingExpected,
		}
		forge(&forged)
		s.insert(forged)
		if d, err = s.desk.Show(t.Context(), mara, third.ID); err != nil {
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

// TestOneOwnerForgesNoVersion has one owner, who has a key and may write to the
// file, make a version live by an approval alone: without the other's, and with one
// that the other gave for something else.
func TestOneOwnerForgesNoVersion(t *testing.T) {
	s := openShared(t)
	other := s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", s.one("book_pacer"))
	loose := s.Policy
	loose.Approvals = nil // the attacker's own program asks for one approval
	desk := s.Desk(t, loose)
	s.Decide(t, desk, ada, review.VerdictApproved, "", s.one("scene_pacer"))
	if err := s.live("scene_pacer"); !errors.Is(err, review.ErrApprovals) || !strings.Contains(err.Error(), "1 of 2") {
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
		proofs := review.ProofsBy(file, s.genesis(), s.Policy.Approvals)
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

// TestSignedChangeSetOfTwo approves a set whose members have other owners, with one
// signature each for all members.
func TestSignedChangeSetOfTwo(t *testing.T) {
	s := openSigned(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:user/a_*", 1, ada), owners(t, "tool:user/b_*", 1, mara)}}, ada, mara)
	var drafts []proposals.Draft
	for _, id := range []string{"a_pacer", "b_pacer", "c_pacer"} {
		d := storetest.Prompt(id)
		d.ChangeSet = "spring"
		drafts = append(drafts, d)
	}
	choices := s.Propose(t, s.desk, scout, drafts...)
	if got := verdicts(s.Decide(t, s.desk, ada, review.VerdictApproved, "", choices...)); got != "endorsed 1 of 1; endorsed 0 of 1, waits for user:mara; endorsed" {
		t.Errorf("ada: %s", got)
	}
	if got := verdicts(s.Decide(t, s.desk, mara, review.VerdictApproved, "", choices...)); got != "approved 1 of 1; approved 1 of 1; approved" {
		t.Errorf("mara: %s", got)
	}
	for _, id := range []string{"a_pacer", "b_pacer", "c_pacer"} {
		if err := s.live(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	s.whole()
}
