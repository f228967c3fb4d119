package service_test

import (
	"context"
	"slices"
	"testing"

	"toolcrib/history"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/review/overlap"
	"toolcrib/review/service"
	"toolcrib/store/storetest"
)

// noted is a store that records the order of writes and of queries for similar tools.
type noted struct {
	review.Store
	acts []string
}

func (n *noted) Update(ctx context.Context, fn func(review.Tx) error) error {
	return n.Store.Update(ctx, func(tx review.Tx) error {
		tx.RegistryReader, tx.RecordWriter = notedRegistry{tx.RegistryReader, n}, notedRecords{tx.RecordWriter, n}
		return fn(tx)
	})
}

type notedRegistry struct {
	review.RegistryReader
	*noted
}

func (t notedRegistry) Alike(ctx context.Context, p *overlap.Fingerprint) ([]registry.Live, error) {
	t.acts = append(t.acts, "alike")
	return t.RegistryReader.Alike(ctx, p)
}

type notedRecords struct {
	review.RecordWriter
	*noted
}

func (t notedRecords) AppendEvents(ctx context.Context, events []history.Event) error {
	for _, e := range events {
		t.acts = append(t.acts, e.Act)
	}
	return t.RecordWriter.AppendEvents(ctx, events)
}

// TestSimilarToolsAreReadBeforeWrites submits in all possible ways. Similar tools must be queried once, before the first write, and
// not at all if no rule needs them or nothing is submitted.
func TestSimilarToolsAreReadBeforeWrites(t *testing.T) {
	shortrun.OneGoroutine(t)
	db := storetest.New(t)
	n := &noted{Store: db.DB}
	desk, err := service.New(n, review.Policy{}, db.Clock.Now, db.NewID)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(what string, err error, want ...string) {
		t.Helper()
		for i := len(n.acts) - 1; i > 0; i-- { // the last attempt, because an engine may retry
			if n.acts[i] == want[0] {
				n.acts = n.acts[i:]
				break
			}
		}
		if err != nil || !slices.Equal(n.acts, want) {
			t.Errorf("%s: %v, %v, not %v", what, err, n.acts, want)
		}
		n.acts = nil
	}
	made, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{storetest.Prompt("scene_pacer")}, true)
	expect("propose", err, "alike", "draft", "submit", "assess")
	again := storetest.Prompt("scene_pacer")
	again.Definition.Tool.Prompt += "\nAnd once more."
	_, err = desk.Drafting.Revise(t.Context(), ada, made[0].ID, again)
	expect("revise", err, "alike", "revise", "assess")
	drafted, err := desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{storetest.Prompt("chapter_pacer")}, false)
	expect("draft", err, "draft")
	_, err = desk.Drafting.Submit(t.Context(), ada, drafted[0].ID)
	expect("submit", err, "alike", "submit", "assess")
	if desk, err = service.New(n, review.Policy{Severities: storetest.BasicSeverities()}, db.Clock.Now, db.NewID); err != nil {
		t.Fatal(err)
	}
	_, err = desk.Drafting.Propose(t.Context(), ada, []proposals.Draft{storetest.Prompt("book_pacer")}, true)
	expect("propose without rules about overlap", err, "draft", "submit", "assess")
}
