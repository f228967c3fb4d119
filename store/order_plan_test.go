package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/queue"
	"toolcrib/store/session"
)

// createdAt returns the query that read prepares to read proposals.
func createdAt(t *testing.T, db *DB, read func(s *session.Session) error) string {
	t.Helper()
	var found string
	err := db.pool.View(t.Context(), func(s *session.Session) error {
		known := map[string]bool{}
		for query := range s.Statements() {
			known[query] = true
		}
		err := read(s)
		for query := range s.Statements() {
			if !known[query] && strings.Contains(query, "p.content_hash") {
				found = query
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// openNew opens a new database.
func openNew(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "toolcrib.db"), Options{Now: time.Now, NewID: newID})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // there are no further writes
	return db
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// openWithOne opens a new database with one proposal on tool:user/x.
func openWithOne(t *testing.T) (*DB, proposals.ID) {
	t.Helper()
	db, id := openNew(t), proposals.ID(newID())
	err := db.pool.Update(t.Context(), func(s *session.Session) error {
		p := proposals.Proposal{
			ID: id, Type: proposals.New, State: proposals.UserReview, Revision: 1, Author: proposals.Actor{Kind: proposals.User, Name: "ada"},
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "x"}, CreatedAt: time.Now(), UpdatedAt: time.Now(),
		}
		_, err := queue.Proposals{Session: s}.AddProposal(t.Context(), p, proposals.Revision{Proposal: id, Number: 1, Author: p.Author, CreatedAt: time.Now(), Draft: proposals.Draft{}}, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, id
}

// TestOrdersUseIndexes checks the query plans for pages of the queue. For each order, for all states and for one, on the
// first and on later pages, the rows come from an index in the right order, and nothing is sorted.
func TestOrdersUseIndexes(t *testing.T) {
	shortrun.OneGoroutine(t)
	db, id := openWithOne(t)
	for _, c := range []struct {
		order review.Order
		state proposals.State
		after string
		index string
	}{
		{review.ByNewest, "", "", "SCAN p"},
		{review.ByNewest, "", string(id), "INTEGER PRIMARY KEY (rowid<?)"},
		{review.ByNewest, proposals.UserReview, string(id), "proposals_by_state (state=? AND seq<?)"},
		{review.ByOldest, "", "", "SCAN p"},
		{review.ByOldest, "", string(id), "INTEGER PRIMARY KEY (rowid>?)"},
		{review.ByOldest, proposals.UserReview, string(id), "proposals_by_state (state=? AND seq>?)"},
		{review.BySubject, "", "", "proposals_by_state_subject (state=?)"},
		{review.BySubject, "", string(id), "proposals_by_state_subject (state=? AND subject=? AND rowid>?)"},
		{review.BySubject, proposals.UserReview, "", "proposals_by_state_subject (state=?)"},
		{review.BySubject, proposals.UserReview, string(id), "proposals_by_state_subject (state=? AND subject=? AND rowid>?)"},
		{review.ByAuthor, "", "", "proposals_by_state_author (state=?)"},
		{review.ByAuthor, "", string(id), "proposals_by_state_author (state=? AND author=? AND rowid>?)"},
		{review.ByAuthor, proposals.UserReview, string(id), "proposals_by_state_author (state=? AND author=? AND rowid>?)"},
		{review.ByRisk, "", "", "proposals_by_risk (state=?)"},
		{review.ByRisk, "", string(id), "proposals_by_risk (state=? AND risk=? AND rowid<?)"},
		{review.ByRisk, proposals.UserReview, "", "proposals_by_risk (state=?)"},
		{review.ByRisk, proposals.UserReview, string(id), "proposals_by_risk (state=? AND risk=? AND rowid<?)"},
	} {
		q := review.Query{Order: c.order, State: c.state, After: c.after, Limit: 100}
		query := createdAt(t, db, func(s *session.Session) error { _, err := queue.Proposals{Session: s}.List(t.Context(), q); return err })
		steps := strings.Join(plan(t.Context(), t, db, query), "\n")
		if !strings.Contains(steps, c.index) || strings.Contains(steps, "TEMP B-TREE") {
			t.Errorf("%+v is read by\n%s\nwant %s\n%s", q, steps, c.index, query)
		}
	}
	open := createdAt(t, db, func(s *session.Session) error {
		_, err := queue.Proposals{Session: s}.OpenOn(t.Context(), registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: "x"})
		return err
	})
	if steps := plan(t.Context(), t, db, open); !strings.Contains(steps[0], "proposals_by_state_subject (state=? AND subject=?)") {
		t.Errorf("the open ones on a subject are read by %q", steps)
	}
	// C22
	same := createdAt(t, db, func(s *session.Session) error {
		_, err := queue.Proposals{Session: s}.SameText(t.Context(), "0a", id, 8)
		return err
	})
	if steps := strings.Join(plan(t.Context(), t, db, same), "\n"); !strings.Contains(steps, "proposals_by_text (text_hash=?)") || strings.Contains(steps, "TEMP B-TREE") {
		t.Errorf("the same text is found by %q", steps)
	}
}
