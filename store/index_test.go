package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"toolcrib/gateway"
	"toolcrib/internal/shortrun"
	"toolcrib/store/ranking"
)

// TestIndexEviction creates an index for each set of texts, and checks that the last few are kept and the others are
// created again.
func TestIndexEviction(t *testing.T) {
	shortrun.OneGoroutine(t)
	x := ranking.NewIndex()
	made := map[string]int{}
	find := func(key string) {
		t.Helper()
		texts := func() []gateway.Text {
			made[key]++
			return []gateway.Text{{Names: "nothing"}, {Names: "word_" + key, Short: "A word."}}
		}
		found, err := x.Rank(t.Context(), key, texts, "word", 5)
		if err != nil || !slices.Equal(found, []int{1}) {
			t.Fatalf("%s: %v, %v", key, found, err)
		}
	}
	for i := range 20 {
		find(fmt.Sprint(i))
		find("often")
	}
	find("0")
	if made["often"] != 1 || made["0"] != 2 || made["19"] != 1 {
		t.Errorf("made %v", made)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestIndexAtOnce searches in several goroutines concurrently.
func TestIndexAtOnce(t *testing.T) {
	x := ranking.NewIndex()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			key := fmt.Sprint(i % 20)
			found, err := x.Rank(t.Context(), key, func() []gateway.Text { return []gateway.Text{{Long: "Straßen und Brücken"}} }, "brucken", 5)
			if err != nil || len(found) != 1 {
				t.Errorf("%v, %v", found, err)
			}
		})
	}
	wg.Wait()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
