package store_test

import (
	"fmt"
	"time"

	"toolcrib/history"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/review/proof"
	"toolcrib/signing/signingtest"
	"toolcrib/signing/statement"
	"toolcrib/store/storetest"
)

// signedForgery is an attempt together with a signed statement that approves it.
type signedForgery struct {
	attempt review.Dossier
	signed  proof.Signed
	at      time.Time
}

// sign signs the statement that approves an attempt as ada, with any key. change, if not nil, modifies the statement.
func (x target) sign(key signingtest.Key, change func(*statement.Statement)) signedForgery {
	x.Helper()
	o := x.attempt()
	prepared, err := x.desk.Deciding.Prepare(x.Context(), ada, []review.Choice{{ID: o.Proposal.ID}}, proposals.VerdictApproved, "")
	if err != nil {
		x.Fatal(err)
	}
	st, err := statement.Decode(prepared)
	if err != nil {
		x.Fatal(err)
	}
	if change != nil {
		change(&st)
	}
	if prepared, err = statement.Encode(st); err != nil {
		x.Fatal(err)
	}
	return signedForgery{o, storetest.SignWith(x, key, prepared), st.At}
}

// forgeSigned approves a forgery with its statement. The service must reject it.
func (x target) forgeSigned(f signedForgery) {
	x.Helper()
	choices := []review.Choice{{ID: f.attempt.Proposal.ID}}
	if _, err := x.desk.Signed(f.signed).Deciding.Approve(x.Context(), ada, choices, ""); err == nil {
		x.Error("the service accepts it")
	}
	sum := statement.Sum(f.signed.Statement)
	v := x.forged(f.attempt, sum)
	v.DecidedAt = f.at
	x.forge(f.attempt, v, func(tx review.Tx) error {
		return tx.AddSignature(x.Context(), x.signatureRecord(f.signed), history.Event{ID: x.NewID(), At: f.at, Actor: ada.String(), Act: "sign"})
	})
}

func (x target) signatureRecord(signed proof.Signed) proof.SignatureRecord {
	return proof.SignatureRecord{
		Hash: statement.Sum(signed.Statement), Statement: string(signed.Statement), Signature: string(signed.Signature), By: ada.String(), At: x.Clock.Now(),
	}
}

// forgeSigners records the signers file as a new state, signed with the key that it adds.
func (x target) forgeSigners(key signingtest.Key) {
	x.Helper()
	prepared, err := x.desk.Signers.PrepareSigners(x.Context(), ada)
	if err != nil {
		x.Fatal(err)
	}
	signed := storetest.SignWith(x, key, prepared)
	if _, err := x.desk.Signed(signed).Signers.ChangeSigners(x.Context(), ada); err == nil {
		x.Error("the service accepts it")
	}
	file, err := x.Policy.Signatures.Signers()
	if err != nil {
		x.Fatal(err)
	}
	data := fmt.Sprintf(`{"number":2,"state":%q,"statement":%q}`, file.Text(), statement.Sum(prepared))
	err = storetest.Open(x, x.Path()).Update(x.Context(), func(tx review.Tx) error {
		return tx.AddSignature(x.Context(), x.signatureRecord(signed), history.Event{
			ID: x.NewID(), At: x.Clock.Now(), Actor: ada.String(), Act: proof.ActSigners, Data: []byte(data),
		})
	})
	if err != nil {
		x.Fatal(err)
	}
	o := x.attempt()
	x.forge(o, x.forged(o, ""))
}
