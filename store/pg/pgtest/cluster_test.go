package pgtest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/proctest"
	"toolcrib/internal/shortrun"
	"toolcrib/store/pg/pgtest"
)

// childVariable is the environment variable that makes the test binary start a cluster and wait to be killed.
const childVariable = "TOOLCRIB_PGTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	c, err := pgtest.Start(pgtest.Options{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(c.URL(pgtest.Superuser, "postgres"))
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// dial connects as the superuser.
func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // some are already closed
	return conn
}

func TestDatabasesOfTests(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	template := c.New(t, "")
	conn := dial(t, c.URL(pgtest.Superuser, template))
	if _, err := conn.Exec(t.Context(), "CREATE TABLE mark (n bigint)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn = dial(t, c.URL(pgtest.Superuser, c.New(t, template)))
	var n int
	var upper bool
	if err := conn.QueryRow(t.Context(), "SELECT count(*), 'a' < 'B' FROM mark").Scan(&n, &upper); err != nil {
		t.Fatal(err)
	}
	if n != 0 || !upper {
		t.Errorf("the copy has %d rows and sorts by bytes: %t", n, !upper)
	}
}

// TestServerCrashes stops a server immediately, and kills a backend. Both must cut all connections and keep committed
// data.
func TestServerCrashes(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Private(t, pgtest.Options{})
	url := c.URL(pgtest.Superuser, "postgres")
	conn := dial(t, url)
	if _, err := conn.Exec(t.Context(), "CREATE TABLE mark (n bigint)"); err != nil {
		t.Fatal(err)
	}
	crashes := []func(pid int) error{
		func(int) error { return c.Restart() },
		func(pid int) error { return c.Kill(pid) },
		func(int) error { return c.Restart() },
	}
	for i, crash := range crashes {
		var pid int
		if err := conn.QueryRow(t.Context(), "INSERT INTO mark VALUES (1) RETURNING pg_backend_pid()").Scan(&pid); err != nil {
			t.Fatal(err)
		}
		if err := crash(pid); err != nil {
			t.Fatal(err)
		}
		if err := conn.Ping(t.Context()); err == nil {
			t.Fatalf("crash %d left the connection open", i)
		}
		if err := c.Restart(); err != nil { // the server may already be recovering
			t.Fatal(err)
		}
		conn = dial(t, url)
		var n int
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM mark").Scan(&n); err != nil || n != i+1 {
			t.Fatalf("after crash %d there are %d rows (%v)", i, n, err)
		}
	}
}

// TestKilledTestLeavesNothing kills a process that has started a cluster.
func TestKilledTestLeavesNothing(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	child := proctest.Start(t, cmd)
	line, err := child.Out.ReadString('\n')
	if strings.HasPrefix(line, pgtest.ErrMissing.Error()) {
		t.Skip(line)
	}
	url := strings.TrimSpace(line)
	conn := dial(t, url)
	if err := errors.Join(err, child.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if err := conn.PgConn().WaitForNotification(t.Context()); err == nil {
		t.Fatal("a notification came instead of the end of the server")
	}
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		_, err := os.Stat(conn.Config().Host)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("%s is still there (%v)", conn.Config().Host, err)
		}
	}
}
