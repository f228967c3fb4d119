package pg_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"toolcrib/store/engine"
	"toolcrib/store/pg"
	"toolcrib/store/pg/pgtest"
)

// TestAgentsKeepNoLock lets an agent with SQL access lock the row of the writer, and a table, and then wait. Other
// sessions must report the holder of the lock. A login that may end sessions must continue without that session, and so
// must verification (S19).
func TestAgentsKeepNoLock(t *testing.T) {
	t.Parallel()
	c := pgtest.Private(t, pgtest.Options{}) // ending sessions is a right on the whole server
	database := migrated(t, c)
	s, err := pg.Open(c.URL("user:mara", database))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	s.SetLockWait(200 * time.Millisecond)
	conn, err := s.Conn(t.Context(), engine.Write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	write := func() error {
		err := s.Begin(t.Context(), conn, engine.Write)
		if err == nil {
			err = conn.Script(t.Context(), "ROLLBACK")
		}
		return s.Describe(err)
	}
	read := func() error {
		err := s.Begin(t.Context(), conn, engine.Read)
		if err == nil {
			_, err = conn.Strings(t.Context(), "SELECT title FROM tasks")
		}
		return s.Describe(errors.Join(err, conn.Script(t.Context(), "ROLLBACK")))
	}
	eve := dial(t, c, "agent:claude", database)
	exec(t, eve, "BEGIN; SELECT id FROM toolcrib.writer WHERE id = 1 FOR UPDATE; LOCK TABLE toolcrib.tasks IN ACCESS EXCLUSIVE MODE")
	for what, try := range map[string]func() error{"write": write, "read": read} {
		if err := try(); !errors.Is(err, engine.ErrBusy) || !strings.Contains(err.Error(), `"agent:claude"`) {
			t.Errorf("to %s: %v", what, err)
		}
	}
	if err := c.Exec(t.Context(), `GRANT pg_signal_backend TO "user:mara"`); err != nil {
		t.Fatal(err)
	}
	if err := soon(write); err != nil {
		t.Errorf("to write, with the right to end sessions: %v", err)
	}
	eve = dial(t, c, "agent:claude", database)
	exec(t, eve, "BEGIN; LOCK TABLE toolcrib.tasks IN ACCESS EXCLUSIVE MODE")
	if err := read(); !errors.Is(err, engine.ErrAgain) {
		t.Errorf("to read, the first time: %v", err)
	}
	if err := soon(read); err != nil {
		t.Errorf("to read, again: %v", err)
	}
	// An active session of a user is not ended.
	ada := dial(t, c, "user:mara", database)
	exec(t, ada, "BEGIN; SELECT id FROM toolcrib.writer WHERE id = 1 FOR UPDATE")
	if err := write(); !errors.Is(err, engine.ErrBusy) || !strings.Contains(err.Error(), `"user:mara"`) {
		t.Errorf("to write beside a user: %v", err)
	}
	exec(t, ada, "ROLLBACK")
}

// soon retries until the server has ended a session, which takes a while on a busy machine.
func soon(try func() error) (err error) {
	for late := time.Now().Add(3 * time.Minute); time.Now().Before(late); {
		if err = try(); !errors.Is(err, engine.ErrBusy) && !errors.Is(err, engine.ErrAgain) {
			return err
		}
	}
	return err
}

// TestWritersAreNotForgotten checks that the server ends a transaction if its client does nothing.
func TestWritersAreNotForgotten(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	s, err := pg.Open(c.URL("user:mara", migrated(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	conn, err := s.Conn(t.Context(), engine.Write)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for use, want := range map[engine.Use]string{engine.Write: "20s", engine.Log: "20s", engine.Read: "0", engine.Audit: "0"} {
		if err := s.Begin(t.Context(), conn, use); err != nil {
			t.Fatal(err)
		}
		for setting, want := range map[string]string{"idle_in_transaction_session_timeout": want, "lock_timeout": "10s"} {
			if got, err := conn.Strings(t.Context(), "SELECT current_setting('"+setting+"')"); err != nil || got[0] != want {
				t.Errorf("%v: %s is %v, %v; want %s", use, setting, got, err, want)
			}
		}
		if err := conn.Script(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
	}
}
