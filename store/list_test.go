package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store/storetest"
)

// list returns a page.
func list(t testing.TB, db *storetest.Database, q review.Query) review.Page {
	t.Helper()
	var page review.Page
	err := db.View(t.Context(), func(r review.Reader) error {
		var err error
		page, err = r.List(t.Context(), q)
		return err
	})
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return page
}

// walk returns the ids of all pages of a query. It calls between after each page.
func walk(t *testing.T, db *storetest.Database, q review.Query, between func()) []proposals.ID {
	t.Helper()
	var ids []proposals.ID
	for {
		page := list(t, db, q)
		if len(page.Proposals) > q.Limit || page.Next != "" && len(page.Proposals) != q.Limit {
			t.Fatalf("a page of %d has %d and goes on with %q", q.Limit, len(page.Proposals), page.Next)
		}
		for _, p := range page.Proposals {
			ids = append(ids, p.ID)
		}
		if page.Next == "" {
			return ids
		}
		q.After = page.Next
		between()
	}
}

// listedQueue writes n proposals that differ in all properties used by lists.
func listedQueue(t *testing.T, db *storetest.Database, n int) []proposals.Proposal {
	t.Helper()
	return queueOf(t, db, n, func([]proposals.Proposal) {})
}

// queueOf is like listedQueue, but calls change before it writes the proposals.
func queueOf(t *testing.T, db *storetest.Database, n int, change func([]proposals.Proposal)) []proposals.Proposal {
	t.Helper()
	states, authors := proposals.States(), []proposals.Actor{ada, scout, {Kind: proposals.Agent, Name: "scouting"}, {Kind: proposals.Chief, Name: "ada"}}
	random := rand.New(rand.NewPCG(1, 2))
	ps := make([]proposals.Proposal, n)
	for i := range ps {
		ps[i] = proposals.Proposal{
			Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerUser, ID: fmt.Sprintf("tool_%d", random.IntN(9))},
			Title:   fmt.Sprintf("Title %d", i), State: states[random.IntN(len(states))], Author: authors[random.IntN(len(authors))],
		}
	}
	change(ps)
	return enqueue(t, db, ps...)
}

// matches defines the meaning of a query without a filter.
func matches(q review.Query, p proposals.Proposal) bool {
	author := q.Author == "" || q.Author == p.Author.String() || strings.HasSuffix(q.Author, ":") && strings.HasPrefix(p.Author.String(), q.Author)
	return author && (q.State == "" || q.State == p.State) && (q.Subject == "" || q.Subject == p.Subject.String())
}

// TestPages reads every kind of list with pages of every size during other writes. There must be no gaps and no
// duplicates, and new proposals must not shift the pages.
func TestPages(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	all := listedQueue(t, db, 61)
	for _, q := range []review.Query{
		{},
		{State: proposals.UserReview},
		{Author: "agent:scout"},
		{Author: "agent:"},
		{Author: "user:"},
		{Author: "chief:"},
		{Subject: "tool:user/tool_3"},
		{Filter: "title"},
		{Filter: "TOOL_3"},
		{Filter: "o"},
		{Filter: `"le 1"`, State: proposals.Drafted},
		{Author: "agent:", State: proposals.Approved},
		{Author: "agent:nobody"},
		{Filter: `"nothing at all"`},
		{State: proposals.NeedsChanges, Author: "user:ada", Filter: "title"},
	} {
		for _, size := range []int{1, 7, 1000} {
			var want []proposals.ID
			for _, p := range slices.Backward(all) {
				text := strings.ToLower(p.Subject.String() + "\n" + p.Title + "\n" + p.Author.String())
				if matches(q, p) && strings.Contains(text, strings.Trim(strings.ToLower(q.Filter), `"`)) {
					want = append(want, p.ID)
				}
			}
			q.Limit = size
			var late []proposals.Proposal
			got := walk(t, db, q, func() {
				if len(late) < 2 {
					late = append(late, enqueue(t, db, proposals.Proposal{Title: "Title, late", Author: scout})...)
				}
			})
			if !slices.Equal(got, want) {
				t.Errorf("%+v: pages give\n%v\nwant\n%v", q, got, want)
			}
			all = append(all, late...)
		}
	}
}

// TestLimits checks that the size of a page is limited.
func TestLimits(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	listedQueue(t, db, review.MaxPage+5)
	for limit, want := range map[int]int{-1: review.DefaultPage, 0: review.DefaultPage, 1: 1, review.MaxPage: review.MaxPage, 1 << 40: review.MaxPage} {
		if got := len(list(t, db, review.Query{Limit: limit}).Proposals); got != want {
			t.Errorf("a page of %d has %d; want %d", limit, got, want)
		}
	}
	for _, after := range []string{"nothing", "#1", "01990000-ffff-7000-8000-000000000000", strings.Repeat("0", 1<<16), "\xff"} {
		err := db.View(t.Context(), func(r review.Reader) error { _, err := r.List(t.Context(), review.Query{After: after}); return err })
		if !errors.Is(err, proposals.ErrNotFound) {
			t.Errorf("after %.20q: %v", after, err)
		}
	}
}

// TestPrefixes checks that the prefix of each id on a page is the shortest unique one, and resolves to its proposal.
func TestPrefixes(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	random := rand.New(rand.NewPCG(7, 8))
	ps := make([]proposals.Proposal, 300)
	for i := range ps {
		ps[i].ID = proposals.ID(fmt.Sprintf("0%07x-%04x-7000-8000-%012x", random.Uint32N(64)<<22, random.IntN(4), random.Uint64()>>16))
	}
	enqueue(t, db, ps...)
	page := list(t, db, review.Query{Limit: 1000})
	for i, p := range page.Proposals {
		id, n := string(p.ID), page.Prefixes[i]
		shares := func(prefix string) int {
			count := 0
			for _, other := range ps {
				if strings.HasPrefix(string(other.ID), prefix) {
					count++
				}
			}
			return count
		}
		if shares(id[:n]) != 1 || n > 1 && shares(id[:n-1]) == 1 {
			t.Errorf("%s is shortened to %d characters", id, n)
		}
		if got, err := resolve(t, db, proposals.ShortID(id, n)); err != nil || got != p.ID {
			t.Errorf("%s resolves to %s, %v", id[:n], got, err)
		}
	}
}

func resolve(t *testing.T, db *storetest.Database, ref string) (proposals.ID, error) {
	t.Helper()
	ids := []proposals.ID{""}
	err := db.View(t.Context(), func(r review.Reader) error {
		var err error
		ids, err = r.ResolveIDs(t.Context(), []string{ref})
		return err
	})
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// TestResolve resolves references in all forms, including malicious ones.
func TestResolve(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	first, err := resolve(t, db, "#1")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{string(first), strings.ToUpper(string(first)), "#01"} {
		if id, err := resolve(t, db, ref); err != nil || id != first {
			t.Errorf("%s resolves to %s, %v", ref, id, err)
		}
	}
	for _, ref := range []string{string(first[:9]), string(first[:34])} {
		if id, err := resolve(t, db, ref); !errors.Is(err, review.ErrAmbiguous) {
			t.Errorf("%s resolves to %s, %v", ref, id, err)
		}
	}
	for _, ref := range []string{
		"", "-", "f", "g", "0", "00", "0199", string(first[:7]), "0199g", "01990000-0000-7000-8000-000000000001f", "#", "#0", "#-1", "#+1", "# 1", "#1 ", "#99", "#99999999999999999999", "#1;", "#x", "##1",
		"%", "_", "0199%", "0199_", "0199*", "' OR 1=1 --", "\x00", "0199\x00", "\xff", "0199\u200b", "٠١٩٩", "#١", "./0199", strings.Repeat("0", 1<<20), strings.Repeat("#", 1<<20),
	} {
		if id, err := resolve(t, db, ref); !errors.Is(err, proposals.ErrNotFound) || len(err.Error()) > 500 {
			t.Errorf("%.40q resolves to %s, %.500v", ref, id, err)
		}
	}
}

// TestCounters compares the counters with the table after all acts that change the state of a proposal, including
// rejected acts and dry runs.
func TestCounters(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := full(t)
	listedQueue(t, db, 200)
	h := openRawDB(t, db)
	counted := h.text("SELECT string_agg(state || n, ',') FROM (SELECT state, n FROM counters WHERE n <> 0 ORDER BY state) c")
	there := h.text("SELECT string_agg(state || n, ',') FROM (SELECT state, count(*) AS n FROM proposals GROUP BY state ORDER BY state) c")
	if counted != there {
		t.Errorf("counted are %s; there are %s", counted, there)
	}
}
