package service_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/approval"
	"toolcrib/review/proof"
	"toolcrib/signing/signingtest"
	"toolcrib/store/storetest"
)

// openShared returns a desk in which two of ada, mara, and kim must sign approvals.
func openShared(t *testing.T) signed {
	t.Helper()
	return openSigned(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:**", 2, ada, mara, kim)}}, ada, mara, kim, bob)
}

func (s signed) verdict(by proposals.Actor, want string, c review.Choice) proposals.Decision {
	s.Helper()
	ds := s.Decide(s.T, s.desk, by, proposals.VerdictApproved, "", c)
	if got := verdicts(ds); got != want {
		s.Errorf("%s approves: %s; want %s", by, got, want)
	}
	return ds[0]
}

// one proposes a tool and returns the choice to approve it.
func (s signed) one(id string) review.Choice {
	s.Helper()
	return storetest.ProposeChoices(s.T, s.desk, scout, storetest.Prompt(id))[0]
}

// live returns the reason why the live version of a tool is not valid, or nil.
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

// TestSignedApprovalsOfTwo makes two signed approvals, and reads the version under the same policy, under a later one,
// and under one with the earlier owners.
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
	if err := stricter(three); !errors.Is(err, proposals.ErrApprovals) || !strings.Contains(err.Error(), "2 of 3, waits for user:kim") {
		t.Errorf("three are asked for: %v", err)
	}
	if err := stricter(nobody); !errors.Is(err, proposals.ErrApprovals) {
		t.Errorf("an owner is removed: %v", err)
	}
	three.Since, nobody.Since = s.Clock.Now(), s.Clock.Now()
	for _, r := range []approval.Rule{three, nobody} {
		if err := stricter(r); err != nil {
			t.Errorf("%s since now: %v", r, err)
		}
	}
}

// TestRevokedKeyBetweenApprovals revokes the key of the first approval, which is then invalid. The owner approves again
// with another key.
func TestRevokedKeyBetweenApprovals(t *testing.T) {
	s := openShared(t)
	c := s.one("scene_pacer")
	s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", c)
	s.Keys[ada] = signingtest.NewKey(t, "ed25519")
	s.SetSigners(t, s.Line(ada), s.Line(mara), s.Line(kim))
	s.Change(t, s.desk, mara)
	s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", c)
	s.verdict(ada, "approved 2 of 2", c)
	if err := s.live("scene_pacer"); err != nil {
		t.Error(err)
	}
}

// TestExpiredKeyBetweenApprovals checks an approval signed with a key that was valid then and has expired.
func TestExpiredKeyBetweenApprovals(t *testing.T) {
	s := openShared(t)
	until := s.Clock.Now().Add(time.Hour).UTC().Truncate(time.Minute)
	line := strings.Replace(s.Line(ada), " ", ` valid-before="`+until.Format("200601021504")+`Z" `, 1)
	s.SetSigners(t, line, s.Line(mara), s.Line(kim))
	s.Change(t, s.desk, mara)
	c, other := s.one("scene_pacer"), s.one("book_pacer")
	s.verdict(ada, "endorsed 1 of 2, waits for 1 of user:mara, user:kim", c)
	s.Clock.Forward(2 * time.Hour)
	statement := s.prepare(proposals.VerdictApproved, "", other)
	if _, err := s.desk.Signed(s.Sign(t, ada, statement)).Deciding.Approve(t.Context(), ada, []review.Choice{other}, ""); !errors.Is(err, proof.ErrSignature) {
		t.Errorf("an expired key signs: %v", err)
	}
	s.verdict(mara, "approved 2 of 2", c)
	if err := s.live("scene_pacer"); err != nil {
		t.Error(err)
	}
}

// TestSignedApprovalAfterAnother lets another owner approve between the signature of an approval and its use.
func TestSignedApprovalAfterAnother(t *testing.T) {
	s := openShared(t)
	c := []review.Choice{s.one("scene_pacer")}
	statement := s.prepare(proposals.VerdictApproved, "", c...)
	signature := s.Sign(t, ada, statement)
	s.verdict(mara, "endorsed 1 of 2, waits for 1 of user:ada, user:kim", c[0])
	if _, err := s.desk.Signed(signature).Deciding.Approve(t.Context(), ada, c, ""); !errors.Is(err, proposals.ErrConflict) {
		t.Errorf("the approval of before is used: %v", err)
	}
	s.verdict(ada, "approved 2 of 2", c[0])
	s.whole()
}

// TestSignedChangeSetOfTwo approves a set with members that have different owners. Each owner signs once for all
// members.
func TestSignedChangeSetOfTwo(t *testing.T) {
	s := openSigned(t, review.Policy{Approvals: approval.Rules{owners(t, "tool:user/a_*", 1, ada), owners(t, "tool:user/b_*", 1, mara)}}, ada, mara)
	var drafts []proposals.Draft
	for _, id := range []string{"a_pacer", "b_pacer", "c_pacer"} {
		d := storetest.Prompt(id)
		d.ChangeSet = "spring"
		drafts = append(drafts, d)
	}
	choices := storetest.ProposeChoices(t, s.desk, scout, drafts...)
	if got := verdicts(s.Decide(t, s.desk, ada, proposals.VerdictApproved, "", choices...)); got != "endorsed 1 of 1; endorsed 0 of 1, waits for user:mara; endorsed" {
		t.Errorf("ada: %s", got)
	}
	if got := verdicts(s.Decide(t, s.desk, mara, proposals.VerdictApproved, "", choices...)); got != "approved 1 of 1; approved 1 of 1; approved" {
		t.Errorf("mara: %s", got)
	}
	for _, id := range []string{"a_pacer", "b_pacer", "c_pacer"} {
		if err := s.live(id); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	s.whole()
}
