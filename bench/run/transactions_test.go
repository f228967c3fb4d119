package main

import (
	"testing"

	"toolcrib/store/storetest"
)

// TestShellWritesTheSameRows lets the shell replay approvals and compares the
// tables of both databases: a peer that wrote less would look too fast.
func TestShellWritesTheSameRows(t *testing.T) {
	if !has("sqlite3") {
		t.Skip("sqlite3 is not installed")
	}
	b := bench{dir: t.TempDir()}
	c, err := b.filled(t.Context(), storetest.Crowd{Tools: 10, Waiting: transactionsAtOnce})
	if err != nil {
		t.Fatal(err)
	}
	pair, err := c.twins()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pair.approve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := pair.replay(t.Context()); err != nil {
		t.Fatal(err)
	}
	const tables = ".mode insert\nSELECT * FROM versions;SELECT * FROM live;SELECT * FROM names;SELECT * FROM decisions;SELECT * FROM events;SELECT * FROM proposals;SELECT * FROM issues;SELECT * FROM counters;"
	var contents [2]string
	for i, path := range []string{pair.path, pair.other} {
		if contents[i], err = output(t.Context(), b.dir, tables, "sqlite3", path); err != nil {
			t.Fatal(err)
		}
	}
	if contents[0] != contents[1] || contents[0] == "" {
		t.Errorf("the shell left %d characters, the desk %d", len(contents[1]), len(contents[0]))
	}
}
