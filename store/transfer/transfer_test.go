package transfer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/failpoint"
	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
	"toolcrib/store/transfer"
)

// childVariable is the environment variable that makes the test binary copy a database. It contains the number of the
// batch before which the process kills itself.
const childVariable = "TOOLCRIB_TRANSFER_CHILD"

func TestMain(m *testing.M) {
	at, err := strconv.Atoi(os.Getenv(childVariable))
	if err != nil {
		os.Exit(m.Run())
	}
	failpoint.Arm("copy-batch", int64(at))
	_, err = transfer.Copy(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// source creates a database with proposals in several states, and memories with their search terms.
func source(t *testing.T) *storetest.Database {
	t.Helper()
	d := storetest.New(t)
	desk := d.Desk(t, review.Policy{Severities: storetest.BasicSeverities()})
	mara := proposals.Actor{Kind: proposals.User, Name: "mara"}
	var drafts []proposals.Draft
	for i := range 5 {
		drafts = append(drafts, storetest.Action(fmt.Sprintf("copied_%d", i)))
	}
	d.Approved(t, desk, mara, drafts[:3]...)
	storetest.ProposeChoices(t, desk, mara, drafts[3:]...)
	err := d.SQL(t.Context(), `INSERT INTO owners (id, customer, user) VALUES (1, 'c', 'mara');
		INSERT INTO memories (seq, id, owner, content, kind, importance, tags, expires_at, created_at, updated_at)
		SELECT value, '00000000-0000-7000-8000-00000000000' || value, 1, 'Zürich ' || value, 'fact', 3, '[]', '', '2026', '2026' FROM json_each('[1,2,3]');
		INSERT INTO memories_text (rowid, terms) SELECT seq, '1zürich 1word' || seq || ' 1@fact 1!3' FROM memories;
		INSERT INTO raws VALUES ('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', x'7b7d')`)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// verify verifies all hash chains of the file at path.
func verify(t *testing.T, path string) {
	t.Helper()
	storetest.Sound(t, storetest.Open(t, path).DB)
}

// address returns the URL of a new database.
func address(t *testing.T, c *pgtest.Cluster) string {
	t.Helper()
	return c.URL(pgtest.Superuser, c.New(t, ""))
}

func copied(t *testing.T, from, to string) transfer.Report {
	t.Helper()
	report, err := transfer.Copy(t.Context(), from, to)
	if err != nil {
		t.Fatalf("%s to %s: %v", from, to, err)
	}
	return report
}

// TestCopyRoundTrip copies a database to a server, from there to another database, and back to a file, and verifies the
// result.
func TestCopyRoundTrip(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	first, second, back := address(t, c), address(t, c), filepath.Join(t.TempDir(), "back.db")
	there := copied(t, d.Path(), first)
	if there.Rows == 0 || there.Already {
		t.Errorf("the first copy: %+v", there)
	}
	for _, hop := range [][2]string{{first, second}, {second, back}} {
		if got := copied(t, hop[0], hop[1]); got != there {
			t.Errorf("%s to %s: %+v, want %+v", hop[0], hop[1], got, there)
		}
	}
	verify(t, back)
	if again := copied(t, d.Path(), back); !again.Already || again.Rows != there.Rows {
		t.Errorf("a copy that was there: %+v", again)
	}
	if again := copied(t, d.Path(), first); !again.Already || again.Rows != there.Rows {
		t.Errorf("a copy that was there: %+v", again)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(back), ".toolcrib-*")); err != nil || left != nil {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// TestTriggersGuardTheCopy checks that a copy rejects the same changes as its source.
func TestTriggersGuardTheCopy(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	to, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	copied(t, d.Path(), to)
	copied(t, to, back)
	conn := dial(t, to)
	for _, statement := range []string{
		"UPDATE %sversions SET note = 'x'", "DELETE FROM %sevents", "INSERT INTO %score VALUES ('evil', '" + strings.Repeat("a", 64) + "')",
	} {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf(statement, "toolcrib.")); err == nil {
			t.Errorf("the copy on the server let through: %s", statement)
		}
		if err := storetest.ExecRaw(t.Context(), back, fmt.Sprintf(statement, "")); err == nil {
			t.Errorf("the copy in the file let through: %s", statement)
		}
	}
}

func dial(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return conn
}

// TestRefusesOtherContent checks that targets with other content are rejected.
func TestRefusesOtherContent(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d, other := source(t), storetest.New(t)
	to := address(t, c)
	copied(t, other.Path(), to)
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	if err := os.WriteFile(foreign, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{to, other.Path(), foreign} {
		before, _ := os.ReadFile(target)
		if report, err := transfer.Copy(t.Context(), d.Path(), target); err == nil {
			t.Errorf("%s: %+v", target, report)
		}
		if after, _ := os.ReadFile(target); !slices.Equal(before, after) {
			t.Errorf("%s was changed", target)
		}
	}
}

// TestPrint creates a registry with the statements that are printed for an administrator.
func TestPrint(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	seed, to := storetest.New(t).Path(), address(t, c)
	var script strings.Builder
	if err := transfer.Print(t.Context(), &script, seed); err != nil {
		t.Fatal(err)
	}
	if _, err := dial(t, to).Exec(t.Context(), script.String()); err != nil {
		t.Fatal(err)
	}
	if report := copied(t, seed, to); !report.Already {
		t.Errorf("%+v", report)
	}
}
