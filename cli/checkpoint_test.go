package cli_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestRemovedTail removes the last event and its comment while the triggers are dropped. The file itself shows no
// damage; a checkpoint does.
func TestRemovedTail(t *testing.T) {
	shortrun.OneGoroutine(t)
	home := newTestHome(t, "")
	must := func(args ...string) string {
		t.Helper()
		out, errs, code := home.run(args...)
		if code != 0 {
			t.Fatalf("%v: exit status %d: %s", args, code, errs)
		}
		return out
	}
	must("propose", "--as", "agent:drafter", "open.json")
	must("comment", "#1", "--as", "user:mara", "--note", "This must not go live.")
	must("checkpoint", "--new-key")
	home.write("kept", must("checkpoint"))
	must("verify", "--checkpoint", "kept")

	removeLast(t, filepath.Join(home.dir, "home/.local/share/toolcrib/toolcrib.db"), "comments", "events")
	if said := must("verify"); !strings.Contains(said, "Every hash chain is intact.") {
		t.Errorf("verify says %s", said)
	}
	if said, _, code := home.run("verify", "--checkpoint", "kept"); code != 6 || !strings.Contains(said, "the log is shorter than the checkpoint") {
		t.Errorf("verify --checkpoint ends with %d: %s", code, said)
	}
}

// removeLast removes the last row of tables, like an attacker who can write to the file and knows its schema.
func removeLast(t *testing.T, file string, tables ...string) {
	t.Helper()
	conn, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // what it did is looked at
	exec := func(query string) {
		t.Helper()
		if _, err := conn.ExecContext(context.Background(), query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	for _, table := range tables {
		var trigger string
		name := table + "_delete"
		if err := conn.QueryRowContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE name = ?", name).Scan(&trigger); err != nil {
			t.Fatal(err)
		}
		exec("DROP TRIGGER " + name)
		exec("DELETE FROM " + table + " WHERE seq = (SELECT max(seq) FROM " + table + ")")
		exec(trigger)
	}
}
