package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/proposals/facts"
	language "toolcrib/proposals/filter"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/storetest"
)

// filterableQueue returns proposals that differ in all properties that filters compare.
func filterableQueue(n int) []proposals.Proposal {
	random := rand.New(rand.NewPCG(5, 6))
	layers := []registry.Layer{registry.LayerGlobal, registry.LayerUser, registry.ProjectLayer("novel"), registry.ProjectLayer("novel2")}
	authors := []proposals.Actor{ada, scout, {Kind: proposals.Chief, Name: "ada"}, {Kind: proposals.Agent, Name: "tool_3"}}
	ps := make([]proposals.Proposal, n)
	for i := range ps {
		kind := registry.SubjectKinds()[random.IntN(5)]
		ps[i] = proposals.Proposal{
			Type:    proposals.Types()[random.IntN(5)],
			Subject: registry.Subject{Kind: kind, Layer: layers[random.IntN(len(layers))], ID: fmt.Sprintf("tool_%d", random.IntN(9))},
			Title:   fmt.Sprintf("Title %d of S1%02d", i, random.IntN(20)), State: proposals.States()[random.IntN(7)],
			Author: authors[random.IntN(len(authors))], ChangeSet: []string{"", "", "night shift", "day"}[random.IntN(4)], BaseVersion: random.IntN(20) / 19,
		}
		if ps[i].State != proposals.Drafted {
			ps[i].Summary.Blocks = random.IntN(12) / 10
		}
	}
	return ps
}

// hasAtom defines the meaning of an atom.
func hasAtom(p proposals.Proposal, a facts.Atom) bool {
	switch a.Is { //nolint:exhaustive // the others have tests of their own
	case facts.Text:
		return contains(p, a.Value)
	case facts.Number:
		return strconv.Itoa(p.Issue) == a.Value
	case facts.ID:
		return strings.HasPrefix(string(p.ID), a.Value)
	case facts.State:
		return string(p.State) == a.Value
	case facts.Type:
		return string(p.Type) == a.Value
	case facts.Author:
		return p.Author.String() == a.Value
	case facts.AuthorKind:
		return string(p.Author.Kind)+":" == a.Value
	case facts.Subject:
		return p.Subject.String() == a.Value
	case facts.SubjectID:
		return string(p.Subject.Kind)+":"+p.Subject.ID == a.Value
	case facts.Kind:
		return string(p.Subject.Kind) == a.Value
	case facts.Layer:
		return string(p.Subject.Layer) == a.Value || strings.HasSuffix(a.Value, "/") && strings.HasPrefix(string(p.Subject.Layer), a.Value)
	case facts.Set:
		return p.ChangeSet == a.Value
	case facts.Rule:
		return fmt.Sprintf("S1%02d", p.Issue%17) == a.Value
	case facts.Stale:
		return p.State.Open() && p.BaseVersion != 0
	case facts.Blocked:
		return p.Summary.Blocks > 0
	case facts.Waits: // there are none in TestTerms
	}
	panic("an unknown property")
}

func holds(f language.Filter, p proposals.Proposal) bool {
	return !slices.ContainsFunc(f.Terms, func(t language.Term) bool {
		return t.Not == slices.ContainsFunc(t.Any, func(a facts.Atom) bool { return hasAtom(p, a) })
	})
}

// TestTerms queries all properties, alone, negated, and combined, in all orders, for numbers of proposals that are
// sorted and for larger ones.
func TestTerms(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	atoms := []string{
		"title", "le", "7", "#7", "#2999", "S105", "rule:S103", "rule:S999", "state:draft", "state:open", "state:rejected,withdrawn", "type:new", "type:restore",
		"author:ada", "author:agent:", "user:ada", "agent:tool_3", "agent:scout", "agent:", "tool:tool_2", "tool:user/tool_2,global/tool_1", "list:", "skill:", "instructions:", "layer:project",
		"layer:project/novel", "layer:global", `set:"night shift"`, "stale", "blocked", `"title 1"`, "nothing", "\"a\x00b\"", "ΤΙΤLE", "дом", "11",
	}
	for _, n := range []int{60, store.ScanLimit + 1_000} {
		db := storetest.New(t)
		all := enqueue(t, db, filterableQueue(n)...)
		openRawDB(t, db).unlocked(`UPDATE proposals SET issue = seq;
			INSERT INTO proposal_rules SELECT 'S1' || substr(CAST(100 + seq % 17 AS text), 2), seq FROM proposals`)
		for i := range all {
			all[i].Issue = i + 1
		}
		id := string(all[n/2].ID)
		random := rand.New(rand.NewPCG(7, uint64(n)))
		filters := append(slices.Clone(atoms), id, id[:8], id[:13])
		for range 160 / stride {
			var terms []string
			for range 2 + random.IntN(3) {
				terms = append(terms, strings.Repeat("-", random.IntN(5)/3)+atoms[random.IntN(len(atoms))])
			}
			filters = append(filters, strings.Join(terms, " "))
		}
		for i, text := range filters {
			f, err := language.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			q := review.Query{Filter: text, Order: review.Orders()[i%5], Limit: 100 + random.IntN(900)}
			if i%3 == 0 {
				q.State = proposals.UserReview
			}
			var matching []proposals.Proposal
			for _, p := range all {
				if holds(f, p) {
					matching = append(matching, p)
				}
			}
			want := expectedOrder(matching, review.Query{State: q.State, Order: q.Order})
			if got := walk(t, db, q, func() {}); !slices.Equal(got, want) {
				t.Errorf("of %d, %+v finds %d; want %d", n, q, len(got), len(want))
			}
		}
	}
}

// TestRuleFilterFollowsAssessments finds a proposal by the findings of its current
// revision (T5).
func TestRuleFilterFollowsAssessments(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	desk := db.Desk(t, review.Policy{})
	draft := storetest.Prompt("scene_pacer")
	hidden, tool := *draft.Definition.Tool, draft.Definition.Tool
	hidden.Prompt += "\u200b"
	draft.Definition.Tool = &hidden
	made, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{draft}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := filtered(t, db, "rule:s109"); len(got) != 1 {
		t.Errorf("with a zero-width space: %q", got)
	}
	if damage := verify(t, db).Damage; len(damage) > 0 {
		t.Errorf("%+v", damage)
	}
	draft.Definition.Tool = tool
	if _, err := desk.Drafting.Revise(t.Context(), ada, made[0].ID, draft); err != nil {
		t.Fatal(err)
	}
	if got := filtered(t, db, "rule:s109"); len(got) != 0 {
		t.Errorf("without it: %q", got)
	}
	if damage := verify(t, db).Damage; len(damage) > 0 {
		t.Errorf("%+v", damage)
	}
}

// TestFiltersKeepNoStatements checks that a connection does not cache the statements of filters, because their number
// is unlimited and a server runs for months.
func TestFiltersKeepNoStatements(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	listedQueue(t, db, 5)
	filtered(t, db, "title")
	before := store.Statements(t, db.DB)
	for i := range 50 {
		filtered(t, db, strings.Repeat(" -stale", i%20+1)+" "+strings.Repeat(" title", i%11))
	}
	if after := store.Statements(t, db.DB); after != before {
		t.Errorf("%d statements are kept; before %d", after, before)
	}
}
