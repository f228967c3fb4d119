package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"toolcrib/store"
)

func TestSeed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crowd.db")
	if err := run(t.Context(), []string{"seed", "-tools", "5", "-waiting", "2", "-file", file}); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), file, store.Options{Now: time.Now, NewID: func() string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it only reads
	events, err := db.EventsAfter(t.Context(), 0, 1000)
	if err != nil || len(events) == 0 {
		t.Error(len(events), err)
	}
}

func TestWrongArguments(t *testing.T) {
	for _, args := range []string{"", "nonsense", "seed", "seed file", "run -sizes 1", "frame -nonsense"} {
		if err := run(t.Context(), strings.Fields(args)); err == nil {
			t.Errorf("%q is no error", args)
		}
	}
}

func TestTimes(t *testing.T) {
	took := times{5, 1, 4, 2, 3}
	if took.at(0) != 1 || took.at(50) != 3 || took.at(100) != 5 || times(nil).at(50) != 0 {
		t.Error(took)
	}
}
