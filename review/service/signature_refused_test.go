package service_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
	"toolcrib/store/storetest"
)

// TestUnsignedIsRefused decides without a signature, under this policy and under one that does not require signatures.
func TestUnsignedIsRefused(t *testing.T) {
	shortrun.OneGoroutine(t)
	s := openSigned(t, review.Policy{}, ada)
	choices := storetest.ProposeChoices(t, s.desk, scout, storetest.Prompt("scene_pacer"))
	lowered := s.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	for name, desk := range map[string]*service.Desk{"required": s.desk, "lowered": lowered} {
		for act, do := range map[string]func() error{
			"approve": func() error { _, err := desk.Deciding.Approve(t.Context(), ada, choices, ""); return err },
			"needs changes": func() error {
				_, err := desk.Deciding.Decide(t.Context(), ada, choices, proposals.VerdictNeedsChanges, "No.")
				return err
			},
			"reject": func() error {
				_, err := desk.Deciding.Decide(t.Context(), ada, choices, proposals.VerdictRejected, "No.")
				return err
			},
		} {
			before := s.Dump(t)
			if err := do(); !errors.Is(err, proof.ErrUnsigned) {
				t.Errorf("%s, %s: %v", name, act, err)
			}
			if after := s.Dump(t); after != before {
				t.Errorf("%s, %s: something was written: %v", name, act, storetest.Difference(before, after))
			}
		}
	}
	if _, err := s.desk.DryRun().Deciding.Approve(t.Context(), ada, choices, ""); err != nil {
		t.Errorf("a dry run: %v", err)
	}
	s.whole()
}

// prepare returns the statement of a decision by ada.
func (s signed) prepare(verdict proposals.Verdict, note string, choices ...review.Choice) []byte {
	s.Helper()
	prepared, err := s.desk.Deciding.Prepare(s.Context(), ada, choices, verdict, note)
	if err != nil {
		s.Fatal(err)
	}
	return prepared
}

// edited signs a modified statement.
func (s signed) edited(prepared []byte, change func(*statement.Statement)) proof.Signed {
	s.Helper()
	st, err := statement.Decode(prepared)
	if err != nil {
		s.Fatal(err)
	}
	change(&st)
	b, err := statement.Encode(st)
	if err != nil {
		s.Fatal(err)
	}
	return s.Sign(s, ada, b)
}

// TestWrongSignatures uses signed statements for other acts.
func TestWrongSignatures(t *testing.T) {
	shortrun.OneGoroutine(t)
	s := openSigned(t, review.Policy{}, ada, bob)
	other := openSignedIn(t, storetest.Open(t, filepath.Join(t.TempDir(), "other.db")), review.Policy{}, ada)
	other.Keys[ada] = s.Keys[ada]
	choices := storetest.ProposeChoices(t, s.desk, scout, storetest.Prompt("scene_pacer"), storetest.Prompt("line_pacer"))
	one, two := choices[:1], choices[1:]
	approval := s.prepare(proposals.VerdictApproved, "", one...)
	good := s.Sign(t, ada, approval)
	elsewhere := other.prepare(proposals.VerdictApproved, "", storetest.ProposeChoices(t, other.desk, scout, storetest.Prompt("scene_pacer"))...)
	foreign := signingtest.NewKey(t, "ed25519")
	for name, c := range map[string]struct {
		signed  proof.Signed
		choices []review.Choice
		note    string
		actor   proposals.Actor
		want    error
	}{
		"of a rejection":          {s.Sign(t, ada, s.prepare(proposals.VerdictRejected, "No.", one...)), one, "No.", ada, proposals.ErrConflict},
		"about another proposal":  {good, two, "", ada, proposals.ErrConflict},
		"about fewer":             {good, choices, "", ada, proposals.ErrConflict},
		"about more":              {s.Sign(t, ada, s.prepare(proposals.VerdictApproved, "", choices...)), one, "", ada, proposals.ErrConflict},
		"in another order":        {s.Sign(t, ada, s.prepare(proposals.VerdictApproved, "", choices[1], choices[0])), choices, "", ada, proposals.ErrConflict},
		"with another note":       {good, one, "Fine.", ada, proposals.ErrConflict},
		"by somebody else":        {good, one, "", bob, proof.ErrSignature},
		"with another's key":      {s.Sign(t, bob, approval), one, "", ada, proof.ErrSignature},
		"with an unknown key":     {storetest.SignWith(t, foreign, approval), one, "", ada, proof.ErrSignature},
		"of another statement":    {proof.Signed{Statement: approval, Signature: s.Sign(t, ada, elsewhere).Signature}, one, "", ada, proof.ErrSignature},
		"of another database":     {s.Sign(t, ada, elsewhere), one, "", ada, proof.ErrSignature},
		"of the future":           {s.edited(approval, func(st *statement.Statement) { st.At = st.At.Add(time.Hour) }), one, "", ada, proof.ErrSignature},
		"of long ago":             {s.edited(approval, func(st *statement.Statement) { st.At = st.At.Add(-time.Hour) }), one, "", ada, proposals.ErrConflict},
		"about another log":       {s.edited(approval, func(st *statement.Statement) { st.Log.Hash = strings.Repeat("0", 64) }), one, "", ada, proposals.ErrConflict},
		"about a log yet to come": {s.edited(approval, func(st *statement.Statement) { st.Log.Seq += 100 }), one, "", ada, proposals.ErrConflict},
		"that is not a statement": {s.Sign(t, ada, []byte("approve it\n")), one, "", ada, proof.ErrSignature},
		"that is not a signature": {proof.Signed{Statement: approval, Signature: []byte("yes")}, one, "", ada, proof.ErrSignature},
	} {
		before := s.Dump(t)
		if _, err := s.desk.Signed(c.signed).Deciding.Approve(t.Context(), c.actor, c.choices, c.note); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
		if after := s.Dump(t); after != before {
			t.Errorf("%s: something was written: %v", name, storetest.Difference(before, after))
		}
	}
	if _, err := s.desk.Signed(good).Deciding.Approve(t.Context(), ada, one, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk.Signed(good).Deciding.Approve(t.Context(), ada, one, ""); err == nil {
		t.Error("a statement was used twice")
	}
	s.whole()
}

// TestPreparedDecisionStaysValid prepares a decision while another process approves another tool of the same agents. The statement
// must remain valid (G7).
func TestPreparedDecisionStaysValid(t *testing.T) {
	shortrun.OneGoroutine(t)
	s := openSigned(t, review.Policy{}, ada)
	choices := storetest.ProposeChoices(t, s.desk, scout, storetest.Prompt("scene_pacer"))
	prepared := s.prepare(proposals.VerdictApproved, "", choices...)
	s.ApproveSigned(t, s.Desk(t, s.Policy), ada, storetest.Prompt("line_pacer"))
	if _, err := s.desk.Signed(s.Sign(t, ada, prepared)).Deciding.Approve(t.Context(), ada, choices, ""); err != nil {
		t.Error(err)
	}
	s.whole()
}

// TestPreparedDecisionBecomesInvalid prepares a decision and then changes its subject matter.
func TestPreparedDecisionBecomesInvalid(t *testing.T) {
	shortrun.OneGoroutine(t)
	for name, change := range map[string]func(s signed, p review.Choice){
		"a revision": func(s signed, c review.Choice) {
			d := storetest.Prompt("scene_pacer")
			d.Definition.Tool.Goals = "Other goals, longer than before."
			if _, err := s.desk.Drafting.Revise(s.Context(), scout, c.ID, d); err != nil {
				s.Fatal(err)
			}
		},
		"a decision": func(s signed, c review.Choice) {
			s.Decide(s.T, s.desk, ada, proposals.VerdictRejected, "No.", c)
		},
		"a prompt": func(s signed, _ review.Choice) { // of another agent that would have the tool, by another process
			reader := storetest.Agent("reader")
			reader.Definition.Agent.AllowList = &registry.AllowList{Kinds: registry.Kinds{registry.PromptTool}}
			s.ApproveSigned(s.T, s.Desk(s.T, s.Policy), ada, reader)
		},
		"time": func(s signed, _ review.Choice) { s.Clock.Forward(16 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			s := openSigned(t, review.Policy{}, ada)
			choices := storetest.ProposeChoices(t, s.desk, scout, storetest.Prompt("scene_pacer"))
			prepared := s.prepare(proposals.VerdictApproved, "", choices...)
			change(s, choices[0])
			_, err := s.desk.Signed(s.Sign(t, ada, prepared)).Deciding.Approve(t.Context(), ada, choices, "")
			if !errors.Is(err, proposals.ErrConflict) && !errors.Is(err, proposals.ErrState) {
				t.Errorf("it was approved: %v", err)
			}
		})
	}
}
