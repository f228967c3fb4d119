package tokens

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// sample is a text with the counts of another implementation: js-tiktoken 1.0.21,
// which uses OpenAI's vocabulary files.
type sample struct {
	Text   string `json:"text"`
	O200k  int    `json:"o200k"`
	Cl100k int    `json:"cl100k"`
}

func samples(t *testing.T) []sample {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "counts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for line := range bytes.Lines(data) {
		var s sample
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if len(out) < 900 {
		t.Fatalf("only %d samples", len(out))
	}
	return out
}

func TestCountLikeTiktoken(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := NewCounter()
	for _, s := range samples(t) {
		got, err := c.CountAll([]string{s.Text})
		if want := []Counts{{s.O200k, s.Cl100k}}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %v, %v; want %v", s.Text, got, err, want)
		}
	}
}

func TestCountO200k(t *testing.T) {
	c := NewCounter()
	for _, s := range samples(t)[:200] {
		if got, err := c.CountO200k(s.Text); err != nil || got != s.O200k {
			t.Errorf("%q: got %d, %v, want %d", s.Text, got, err, s.O200k)
		}
	}
}

// TestGrowth compares the upper bound with actual counts.
func TestGrowth(t *testing.T) {
	c := NewCounter()
	all := samples(t)
	for i := range all[:300] {
		before, after := all[i].Text+"\n\nand\n\n"+all[i+1].Text, all[i+1].Text+"\n\nand\n\n"+all[i].Text+"\n\nmore and more"
		n, err := c.CountAll([]string{before, after})
		if err != nil {
			t.Fatal(err)
		}
		b, a := n[0], n[1]
		if bound := Growth(before, after); max(a.O200k-b.O200k, a.Cl100k-b.Cl100k) > bound {
			t.Errorf("%q to %q grows by %v to %v, beyond %d", before, after, b, a, bound)
		}
	}
	if got := Growth("one\n\ntwo", "one\n\ntwo"); got != 0 {
		t.Errorf("nothing changes: %d", got)
	}
	if got := Growth("one\n\n", "one\n\none\n\n"); got != 5 {
		t.Errorf("a repeated text counts once more: %d", got)
	}
}

func TestCountAll(t *testing.T) {
	all := samples(t)
	texts := make([]string, len(all))
	want := make([]Counts, len(all))
	for i, s := range all {
		texts[i], want[i] = s.Text, Counts{s.O200k, s.Cl100k}
	}
	c := NewCounter()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := c.CountAll(texts); err != nil || !slices.Equal(got, want) {
				t.Errorf("the counts differ, or there is an error: %v", err)
			}
		})
	}
	wg.Wait()
	if got, err := c.CountAll(nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: got %v, %v", got, err)
	}
}

// TestCounterIsLazy checks that texts without tokens load no vocabulary.
func TestCounterIsLazy(t *testing.T) {
	c := NewCounter()
	c.o200k.vocabulary, c.cl100k.vocabulary = nil, nil // loading would panic
	if got, err := c.CountAll([]string{""}); err != nil || got[0] != (Counts{}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestCounterCaches(t *testing.T) {
	c := NewCounter()
	text := []string{"one\n\ntwo\n\nthree"}
	first, err := c.CountAll(text)
	if err != nil {
		t.Fatal(err)
	}
	c.o200k.vocabulary, c.cl100k.vocabulary = nil, nil
	again, err := c.CountAll(text)
	if err != nil || !slices.Equal(again, first) {
		t.Errorf("got %v, %v, want %v", again, err, first)
	}
	if _, err := c.CountAll([]string{"two\n\n"}); err != nil {
		t.Error(err)
	}
}

func TestCacheIsLimited(t *testing.T) {
	e := newEncoding(cl100k)
	for i := range maxKnown {
		e.known[[32]byte{byte(i), byte(i >> 8), byte(i >> 16), 1}] = 1
	}
	if got, err := e.count([][]paragraph{paragraphs("one more")}); err != nil || got[0] != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	if len(e.known) > maxKnown {
		t.Errorf("%d counts are remembered", len(e.known))
	}
}

// TestCountHostile counts texts that are one long run. Without the limit on runs,
// each would take minutes (H9).
func TestCountHostile(t *testing.T) {
	shortrun.OneGoroutine(t)
	c := NewCounter()
	for _, tt := range []struct {
		unit          string
		o200k, cl100k int
	}{
		{"a", 12500, 12500},
		{"A", 12500, 12500},
		{"qZ", 100000, 100000},
		{" ", 782, 782},
		{"\t", 6250, 6250},
		{"\n", 6250, 3125},
		{"\n ", 25098, 25098},
		{"=", 1562, 1563},
		{"/", 1563, 1562},
		{"!/", 50000, 50000},
		{"日", 16667, 33333},
		{"\u0301", 50000, 50000},
		{"1", 33398, 33398},
		{"\xff", 12500, 25000},
		{"\x00", 50000, 100000},
		{"a1", 100000, 100000},
		{"'s", 50000, 50000},
	} {
		n, err := c.CountAll([]string{strings.Repeat(tt.unit, 100_000/len(tt.unit))})
		if want := []Counts{{tt.o200k, tt.cl100k}}; err != nil || !slices.Equal(n, want) {
			t.Errorf("%q: got %+v, %v; want %+v", tt.unit, n, err, want)
		}
	}
}
