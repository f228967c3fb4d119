package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/records"
	"toolcrib/store/session"
)

// TestWitness checks that every event records and seals the account that wrote it, and that no event is written in the
// name of a user on whose behalf the account may not act (S9).
func TestWitness(t *testing.T) {
	shortrun.OneGoroutine(t)
	opts := options()
	opts.Account = history.Account{UID: "65534", Login: "nobody", Host: "shop"}
	opts.Users = []string{"user:nobody"}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	write := func(actor string) error {
		return db.Update(t.Context(), func(tx review.Tx) error {
			return tx.AppendEvents(t.Context(), []history.Event{{ID: opts.NewID(), At: opts.Now(), Actor: actor, Act: "approve", Data: []byte(`{"version":1}`)}})
		})
	}
	for _, actor := range []string{"user:nobody", "agent:drafter", "chief:builtin"} {
		if err := write(actor); err != nil {
			t.Errorf("%s: %v", actor, err)
		}
	}
	if err := write("user:root"); !errors.Is(err, proposals.ErrAuthority) {
		t.Errorf("in the name of user:root: %v", err)
	}
	events, err := db.Events(t.Context(), records.EventQuery{Limit: 100})
	if err != nil || len(events) < 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events {
		if !strings.Contains(string(e.Data), `{"account":{"host":"shop","login":"nobody","uid":"65534"}`) || e.Actor == "user:root" {
			t.Errorf("event %d by %s has the data %s", e.Seq, e.Actor, e.Data)
		}
		if e.Hash != e.Sum() || i < 3 && !strings.Contains(string(e.Data), `"version":1`) {
			t.Errorf("event %d: %s", e.Seq, e.Data)
		}
	}
}

// TestActing writes for a user connected through a remote entry point: the event records the entry point, the account's
// own user cannot act through it, and the next write belongs to the account again.
func TestActing(t *testing.T) {
	shortrun.OneGoroutine(t)
	opts := options()
	opts.Account = history.Account{UID: "65534", Login: "nobody"}
	opts.Users = []string{"user:nobody"}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	write := func(ctx context.Context, actor string) error {
		return db.Update(ctx, func(tx review.Tx) error {
			return tx.AppendEvents(ctx, []history.Event{{ID: opts.NewID(), At: opts.Now(), Actor: actor, Act: "comment", Data: []byte(`{}`)}})
		})
	}
	door := session.Acting(t.Context(), "ssh SHA256:x", "user:mara")
	for _, tt := range []struct {
		ctx     context.Context
		actor   string
		refused bool
		account string
	}{
		{door, "user:mara", false, `{"account":{"login":"nobody","uid":"65534","via":"ssh SHA256:x"}}`},
		{door, "user:nobody", true, ""},
		{session.Acting(t.Context(), "ssh"), "user:mara", true, ""},
		{t.Context(), "user:mara", true, ""},
		{t.Context(), "user:nobody", false, `{"account":{"login":"nobody","uid":"65534"}}`},
	} {
		if err := write(tt.ctx, tt.actor); errors.Is(err, proposals.ErrAuthority) != tt.refused || !tt.refused && err != nil {
			t.Fatalf("%s: %v", tt.actor, err)
		}
		events, err := db.Events(t.Context(), records.EventQuery{Limit: 1})
		if err != nil || len(events) != 1 {
			t.Fatal(events, err)
		}
		if e := events[0]; !tt.refused && (string(e.Data) != tt.account || e.Hash != e.Sum()) {
			t.Errorf("%s: the event has %s; want %s", tt.actor, e.Data, tt.account)
		}
	}
}

// TestWroteHere checks who wrote a revision: the account and the entry point count, the host name does not.
func TestWroteHere(t *testing.T) {
	shortrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "test.db")
	author, id := proposals.Actor{Kind: proposals.Agent, Name: "me"}, proposals.ID("01990000-0000-7000-8000-0000000000aa")
	opts := options()
	as := func(a history.Account) *store.DB {
		opts.Account = a
		db, err := store.Open(t.Context(), path, opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	nobody := history.Account{UID: "65534", Login: "nobody", Host: "one"}
	err := as(nobody).Update(t.Context(), func(tx review.Tx) error {
		return tx.AppendEvents(t.Context(), []history.Event{
			{ID: opts.NewID(), At: opts.Now(), Actor: author.String(), Act: "draft", Proposal: string(id), Revision: 1, Data: []byte(`{}`)},
			{ID: opts.NewID(), At: opts.Now(), Actor: author.String(), Act: "comment", Proposal: string(id), Revision: 2, Data: []byte(`{}`)},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, other := nobody, nobody
	elsewhere.Host, other.UID = "two", "65535"
	for _, tt := range []struct {
		account  history.Account
		ctx      context.Context
		revision int
		want     bool
	}{
		{nobody, t.Context(), 1, true},
		{elsewhere, t.Context(), 1, true},
		{other, t.Context(), 1, false},
		{nobody, session.Acting(t.Context(), "ssh SHA256:x"), 1, false},
		{nobody, t.Context(), 2, false},
		{history.Account{}, t.Context(), 1, false},
	} {
		err := as(tt.account).View(tt.ctx, func(r review.Reader) error {
			got, err := r.WroteHere(tt.ctx, id, tt.revision, author)
			if got != tt.want {
				t.Errorf("%+v wrote revision %d: %v; want %v", tt.account, tt.revision, got, tt.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
