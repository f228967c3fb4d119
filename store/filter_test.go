package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	language "toolcrib/proposals/filter"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// titles returns the titles for the tests of filters.
func titles() []string {
	return []string{
		"Scene Pacer", "scene pacer", "SCENE-PACER", "Ärger über Öl", "ÄRGER ÜBER ÖL", "élan Élan", "дом ДОМ", "Ωmega ωMEGA", "場面のペース", "場面", "面",
		`say "hello"`, `""`, `"`, "it's", "a*b", "a OR b", "NEAR(a b)", "body: x", "^start", "-minus", "100%", "under_score", `back\slash`, "(paren", "x AND y", "NOT z",
		"👩‍🚀 astronaut", "👩", "e\u0301lan combining", "tab\there", "two  spaces", "zero\u200bwidth", "rtl \u202e override", "ß SS", "ﬁ ligature", "İstanbul ıstanbul",
		strings.Repeat("long ", 200) + "end",
	}
}

// folded returns a text without case: each letter is replaced by a representative of all letters that differ from it
// only in case.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}

// contains defines the meaning of a filter: the words occur in the listed texts of a proposal, in any case.
func contains(p proposals.Proposal, filter string) bool {
	return strings.Contains(folded(p.Subject.String()+"\n"+p.Title+"\n"+p.Author.String()+"\n"+p.ChangeSet), folded(filter))
}

// filtered returns the titles that match a filter.
func filtered(t *testing.T, db *storetest.Database, filter string) []string {
	t.Helper()
	var found []string
	for _, p := range list(t, db, review.Query{Filter: filter, Limit: 1000}).Proposals {
		found = append(found, p.Title)
	}
	return found
}

// TestFilter searches for every part of up to four characters of every title, and for operators of query languages.
func TestFilter(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	var ps []proposals.Proposal
	for _, title := range titles() {
		ps = append(ps, proposals.Proposal{Title: title, ChangeSet: "night shift", Author: scout})
	}
	ps = enqueue(t, db, ps...)
	filters := map[string]bool{
		"": true, "agent:scout": true, "AGENT:": true, "night SHIFT": true, "tool:user/": true, "nothing": true, "*": true, "scen*": true, "scene OR pacer": true,
		`scene" OR "pacer`: true, "title:x": true, "{a b}": true, "a + b": true, "%": true, "'; DROP TABLE proposals": true, "��": true, "\n": true, "\nag": true,
	}
	for _, title := range titles() {
		runes := []rune(title)
		runes = runes[:min(len(runes), 40)]
		for from := range runes {
			for to := from + 1; to <= min(len(runes), from+4); to++ {
				part := string(runes[from:to])
				filters[part], filters[strings.ToUpper(part)], filters[strings.ToLower(part)] = true, true, true
			}
		}
		filters[title] = true
	}
	n := 0
	for filter := range filters {
		if n++; n%stride != 0 {
			continue
		}
		var want []string
		for _, p := range slices.Backward(ps) {
			if contains(p, filter) {
				want = append(want, p.Title)
			}
		}
		if filter == "" {
			continue
		}
		if got := filtered(t, db, language.Quote(filter)); !slices.Equal(got, want) {
			t.Errorf("%q finds %q; want %q", filter, got, want)
		}
	}
	t.Logf("%d filters over %d titles", len(filters), len(ps))
}

// TestShortFilterOfMany searches for parts of one and two characters, different ones in each run, in more proposals
// than are scanned, behind newer proposals that do not contain them.
func TestShortFilterOfMany(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	title := strings.Join(titles()[:len(titles())-1], " ")
	ps := make([]proposals.Proposal, store.ScanLimit+100)
	for i := range ps {
		ps[i] = proposals.Proposal{Title: title}
	}
	ps = enqueue(t, db, ps...)
	enqueue(t, db, proposals.Proposal{Title: "7"}, proposals.Proposal{Title: "7"})
	runes := []rune(title)
	filters := map[string]bool{}
	for from := range runes {
		filters[string(runes[from:from+1])], filters[string(runes[from:min(from+2, len(runes))])] = true, true
	}
	n := 0
	for filter := range filters {
		if n++; n%(4*stride) != 0 || contains(proposals.Proposal{Title: "7", Subject: ps[0].Subject, Author: ps[0].Author}, filter) {
			continue
		}
		last := len(ps) - 1
		q := review.Query{Filter: language.Quote(filter), Limit: 2}
		for range 2 {
			page := list(t, db, q)
			if got := page.Proposals; len(got) != 2 || got[0].ID != ps[last].ID || got[1].ID != ps[last-1].ID {
				t.Fatalf("%q finds %v; want %s and %s", filter, got, ps[last].ID, ps[last-1].ID)
			}
			last, q.After = last-2, page.Next
		}
	}
	t.Logf("%d filters", len(filters)/(4*stride))
}

// TestHostileFilters uses filters that are invalid text or too long. They must find nothing and cause no error.
func TestHostileFilters(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	listedQueue(t, db, 20)
	for _, filter := range []string{"\x00", "a\x00b", "Title\x00", "\xff", "\xff\xfe\xfd", "Title \xff", strings.Repeat("Title ", 1<<18), strings.Repeat(`"`, 1<<16), "\ufffd\ufffd\ufffd"} {
		for _, text := range []string{filter, language.Quote(filter)} {
			err := db.View(t.Context(), func(r review.Reader) error {
				page, err := r.List(t.Context(), review.Query{Filter: text})
				if len(page.Proposals) > 0 {
					t.Errorf("%.20q finds %d", text, len(page.Proposals))
				}
				return err
			})
			if err != nil && !errors.Is(err, language.ErrSyntax) {
				t.Errorf("%.20q: %v", text, err)
			}
		}
	}
}

// TestFilterFollowsRevisions finds a proposal by its current title, but not by its earlier one.
func TestFilterFollowsRevisions(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	draft := storetest.Prompt("scene_pacer")
	draft.ChangeSet = "first set"
	made, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{draft}, true)
	if err != nil {
		t.Fatal(err)
	}
	tool := *draft.Definition.Tool
	tool.Name = "Another name"
	draft.Definition.Tool, draft.ChangeSet = &tool, "second set"
	for range 2 {
		if _, err := desk.Drafting.Revise(t.Context(), ada, made[0].ID, draft); err != nil {
			t.Fatal(err)
		}
		draft.Rationale = "Once more."
	}
	for filter, want := range map[string]int{`"Tool scene"`: 0, "first": 0, "another": 1, `"second set"`: 1, "scene_pacer": 1, "an": 1} {
		if got := filtered(t, db, filter); len(got) != want {
			t.Errorf("%q finds %q; want %d", filter, got, want)
		}
	}
}

// FuzzFilter searches for arbitrary text in arbitrary titles. Exact matches must be found, and matches must not differ
// in more than case. The engine does not know the case of the most recent letters of Unicode.
func FuzzFilter(f *testing.F) {
	shortrun.OneGoroutine(f)
	for _, title := range titles() {
		f.Add(title, title)
	}
	f.Add("Scene Pacer", "NE P")
	f.Add("straße", "STRASSE")
	db := storetest.New(f)
	f.Fuzz(func(t *testing.T, title, filter string) {
		if !utf8.ValidString(title) || strings.ContainsRune(title, 0) || len(title) > 1000 {
			t.Skip("no text that a title can have")
		}
		p := enqueue(t, db, proposals.Proposal{Title: title})[0]
		if filter == "" || !utf8.ValidString(filter) {
			t.Skip("no text to look for")
		}
		page := list(t, db, review.Query{Filter: language.Quote(filter), Limit: 1})
		found := len(page.Proposals) > 0 && page.Proposals[0].ID == p.ID
		valid := !strings.ContainsRune(filter, 0)
		exact := strings.Contains(p.Subject.String()+"\n"+title+"\n"+p.Author.String(), filter)
		if valid && exact && !found || found && (!valid || !contains(p, filter)) {
			t.Errorf("title %q, filter %q: found %t", title, filter, found)
		}
	})
}
