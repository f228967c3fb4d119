package storetest

import (
	"crypto/rand"
	"strings"
	"testing"

	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/review/service"
	"toolcrib/signing/signers"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/sshsig"
)

// Signing is a database with a configuration that requires signatures.
type Signing struct {
	*Database
	Policy review.Policy // requires signatures
	Keys   map[proposals.Actor]signingtest.Key

	file *signers.Signers
}

// StartSigning records the given users as signers, each with a new key. The first user signs this record. StartSigning
// opens the database a second time; the first connection, db, does not require signatures.
func StartSigning(t testing.TB, db *Database, policy review.Policy, users ...proposals.Actor) *Signing {
	t.Helper()
	s := &Signing{Policy: policy, Keys: map[proposals.Actor]signingtest.Key{}}
	lines := make([]string, len(users))
	for i, user := range users {
		s.Keys[user] = signingtest.NewKey(t, "ed25519")
		lines[i] = s.Line(user)
	}
	s.SetSigners(t, lines...)
	s.Policy.Signatures.Signers = func() (*signers.Signers, error) { return s.file, nil }
	state := s.Change(t, db.Desk(t, s.Policy), users[0])
	s.Policy.Signatures.Required, s.Policy.Signatures.Since = true, state.Event.Hash
	s.Database = s.Open(t, db.Path())
	s.Clock, s.NewID = db.Clock, db.NewID
	return s
}

// Open opens the database at path with signatures required. It is closed when the test ends.
func (s *Signing) Open(t testing.TB, path string) *Database {
	t.Helper()
	d, err := connect(t.Context(), path, 0xfffe, proof.NewTrust(s.Policy.Signatures, s.Policy.Approvals))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Line returns the line of the signers file with the key of a user.
func (s *Signing) Line(user proposals.Actor) string {
	return user.String() + " " + signingtest.Line(s.Keys[user].PublicKey())
}

// SetSigners replaces the signers file.
func (s *Signing) SetSigners(t testing.TB, lines ...string) {
	t.Helper()
	var err error
	if s.file, err = signers.Parse([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
		t.Fatal(err)
	}
}

// Change records the signers file, signed by actor.
func (s *Signing) Change(t testing.TB, desk *service.Desk, actor proposals.Actor) proof.SignersState {
	t.Helper()
	statement, err := desk.Signers.PrepareSigners(t.Context(), actor)
	if err != nil {
		t.Fatal(err)
	}
	state, err := desk.Signed(s.Sign(t, actor, statement)).Signers.ChangeSigners(t.Context(), actor)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// Sign signs a statement with the key of a user.
func (s *Signing) Sign(t testing.TB, by proposals.Actor, statement []byte) proof.Signed {
	t.Helper()
	return SignWith(t, s.Keys[by], statement)
}

// SignWith signs a statement with a key.
func SignWith(t testing.TB, key signingtest.Key, statement []byte) proof.Signed {
	t.Helper()
	made, err := key.Sign(rand.Reader, sshsig.Message(statement))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := sshsig.New(key.PublicKey(), statement, made)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Signed{Statement: statement, Signature: signature.Armor()}
}

// Decide decides on proposals with a signature.
func (s *Signing) Decide(t testing.TB, desk *service.Desk, by proposals.Actor, verdict proposals.Verdict, note string, choices ...review.Choice) []proposals.Decision {
	t.Helper()
	statement, err := desk.Deciding.Prepare(t.Context(), by, choices, verdict, note)
	if err != nil {
		t.Fatal(err)
	}
	decisions, err := desk.Signed(s.Sign(t, by, statement)).Deciding.Decide(t.Context(), by, choices, verdict, note)
	if err != nil {
		t.Fatal(err)
	}
	return decisions
}

// ApproveSigned proposes drafts as a user and approves them together with a signature.
func (s *Signing) ApproveSigned(t testing.TB, desk *service.Desk, by proposals.Actor, drafts ...proposals.Draft) []proposals.Decision {
	t.Helper()
	return s.Decide(t, desk, by, proposals.VerdictApproved, "", ProposeChoices(t, desk, by, drafts...)...)
}
