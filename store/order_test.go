package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// before compares two proposals according to the definition of an order.
func before(o review.Order, a, b proposals.Proposal) int {
	worst := map[string]int{"": 0, "info": 1, "warn": 2, "block": 3}
	switch o {
	case review.ByRisk:
		return cmp.Or(
			cmp.Compare(b.Summary.Blocks, a.Summary.Blocks), cmp.Compare(worst[b.Summary.Worst], worst[a.Summary.Worst]),
			cmp.Compare(b.Summary.Findings, a.Summary.Findings), cmp.Compare(b.ID, a.ID),
		)
	case review.BySubject:
		return cmp.Or(cmp.Compare(a.Subject.String(), b.Subject.String()), cmp.Compare(a.ID, b.ID))
	case review.ByAuthor:
		return cmp.Or(cmp.Compare(a.Author.String(), b.Author.String()), cmp.Compare(a.ID, b.ID))
	case review.ByOldest:
		return cmp.Compare(a.ID, b.ID)
	case review.ByNewest:
	}
	return cmp.Compare(b.ID, a.ID)
}

// orderedQueue adds findings of all severities to proposals.
func orderedQueue(ps []proposals.Proposal) {
	random := rand.New(rand.NewPCG(3, 4))
	for i := range ps {
		if ps[i].State == proposals.Drafted {
			continue // not assessed yet
		}
		ps[i].Summary.Worst = []string{"", "info", "warn", "block"}[random.IntN(4)]
		ps[i].Summary.Findings = random.IntN(12)
		ps[i].Summary.Blocks = max(0, random.IntN(9)-6)
	}
}

// TestOrders reads the queue in every order with pages of several sizes during other writes: with few rows, which are
// sorted, and with many, which are read from an index.
func TestOrders(t *testing.T) {
	shortrun.OneGoroutine(t)
	for _, n := range []int{0, 1, 90, 2_600} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n > 1000 {
				shortrun.NeedsLong(t)
			}
			db := storetest.New(t)
			all := queueOf(t, db, n, orderedQueue)
			for i, q := range []review.Query{
				{},
				{State: proposals.UserReview},
				{State: proposals.Approved, Author: "agent:"},
				{Author: "agent:scout"},
				{Subject: "tool:user/tool_3"},
				{Filter: "title"},
				{Filter: "TITLE", State: proposals.UserReview},
				{Filter: "le"},
				{Filter: "scout"},
				{Filter: `"nothing at all"`},
				{Filter: strings.Repeat("k", 5)},
			} {
				if n > 1000 && i%stride != 0 {
					continue
				}
				for _, o := range review.Orders() {
					for _, size := range []int{7, 1000} {
						q.Order, q.Limit = o, size
						if n > 1000 && size < 10 {
							q.Limit = 400
						}
						want := expectedOrder(all, q)
						if got := walk(t, db, q, func() {}); !slices.Equal(got, want) {
							t.Errorf("%+v: pages give %d\n%v\nwant %d\n%v", q, len(got), got, len(want), want)
						}
						q.Reverse = true
						slices.Reverse(want)
						if got := walk(t, db, q, func() {}); !slices.Equal(got, want) {
							t.Errorf("%+v: pages from the end give %d\n%v\nwant %d\n%v", q, len(got), got, len(want), want)
						}
						q.Reverse = false
					}
				}
			}
		})
	}
}

func expectedOrder(all []proposals.Proposal, q review.Query) []proposals.ID {
	var found []proposals.Proposal
	for _, p := range all {
		text := p.Subject.String() + "\n" + p.Title + "\n" + p.Author.String()
		if matches(q, p) && strings.Contains(strings.ToLower(text), strings.Trim(strings.ToLower(q.Filter), `"`)) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b proposals.Proposal) int { return before(q.Order, a, b) })
	var ids []proposals.ID
	for _, p := range found {
		ids = append(ids, p.ID)
	}
	return ids
}

// TestCursorAfterReassessment continues a list by risk after a proposal that was assessed again in the meantime. The
// rest of the list must stay the same.
func TestCursorAfterReassessment(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	all := queueOf(t, db, 40, orderedQueue)
	q := review.Query{Order: review.ByRisk, Limit: 10}
	want := expectedOrder(all, q)
	page := list(t, db, q)
	h := openRawDB(t, db)
	h.unlocked("UPDATE proposals SET blocks = 0, findings = 0, worst = '' WHERE id = '" + string(page.Proposals[9].ID) + "'")
	q.After = page.Next
	if got := list(t, db, q).Proposals; got[0].ID != want[10] || got[9].ID != want[19] {
		t.Errorf("it goes on with %s to %s; want %s to %s", got[0].ID, got[9].ID, want[10], want[19])
	}
	for _, after := range []string{"x~" + string(want[0]), "~", "7~", "7~x"} {
		if err := listError(t, db, review.Query{Order: review.ByRisk, After: after}); err == nil {
			t.Errorf("%q continues a list", after)
		}
	}
	for _, q := range []review.Query{{Order: review.BySubject, After: "7~" + string(want[0])}, {Order: "moon"}} {
		if err := listError(t, db, q); err == nil {
			t.Errorf("%+v is a list", q)
		}
	}
}

func listError(t *testing.T, db *storetest.Database, q review.Query) error {
	t.Helper()
	return db.View(t.Context(), func(r review.Reader) error { _, err := r.List(t.Context(), q); return err })
}
