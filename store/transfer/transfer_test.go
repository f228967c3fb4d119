package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"toolcrib/internal/shortrun"
	"toolcrib/proposals"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/pg/pgtest"
	"toolcrib/store/storetest"
	"toolcrib/store/transfer"
)

// childVariable tells the test binary to copy a database, and after which batch to
// kill itself.
const childVariable = "TOOLCRIB_TRANSFER_CHILD"

func TestMain(m *testing.M) {
	at, err := strconv.Atoi(os.Getenv(childVariable))
	if err != nil {
		os.Exit(m.Run())
	}
	batches := 0
	_, err = transfer.Copy(context.Background(), os.Args[1], os.Args[2], transfer.Options{Progress: func(string, int64) error {
		if batches++; batches < at {
			return nil
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return err
		}
		select {} // until the signal is there
	}})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// source makes a database with proposals in several states, and memories with
// their search terms.
func source(t *testing.T) *storetest.Database {
	t.Helper()
	d := storetest.New(t)
	desk := d.Desk(t, review.Policy{Severities: storetest.Basics()})
	mara := proposals.Actor{Kind: proposals.User, Name: "mara"}
	var drafts []proposals.Draft
	for i := range 5 {
		drafts = append(drafts, storetest.Action(fmt.Sprintf("copied_%d", i)))
	}
	d.Approved(t, desk, mara, drafts[:3]...)
	storetest.Choices(t, desk, mara, drafts[3:]...)
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

// verify recomputes every hash chain of the file at path.
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
	report, err := transfer.Copy(t.Context(), from, to, transfer.Options{})
	if err != nil {
		t.Fatalf("%s to %s: %v", from, to, err)
	}
	return report
}

// TestThereAndBack copies a database to a server, to another database of it, and
// back into a file, and verifies what came back.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	first, second, back := address(t, c), address(t, c), filepath.Join(t.TempDir(), "back.db")
	there := copied(t, d.Path(), first)
	if there.Rows == 0 || there.Copied != there.Rows || there.Already {
		t.Errorf("the first copy: %+v", there)
	}
	for _, hop := range [][2]string{{first, second}, {second, back}} {
		if got := copied(t, hop[0], hop[1]); got != there {
			t.Errorf("%s to %s: %+v, want %+v", hop[0], hop[1], got, there)
		}
	}
	verify(t, back)
	if again := copied(t, d.Path(), back); !again.Already || again.Copied != 0 || again.Rows != there.Rows {
		t.Errorf("a copy that was there: %+v", again)
	}
	if again := copied(t, d.Path(), first); !again.Already || again.Copied != 0 || again.Rows != there.Rows {
		t.Errorf("a copy that was there: %+v", again)
	}
	if left, err := filepath.Glob(back + ".copy*"); err != nil || left != nil {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// TestTriggersGuardTheCopy checks that a copy refuses what its source refuses.
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
		if err := storetest.ByHand(t.Context(), back, fmt.Sprintf(statement, "")); err == nil {
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

// TestRefusesOtherContent names targets that have something else.
func TestRefusesOtherContent(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	d, other := source(t), storetest.New(t)
	to := address(t, c)
	copied(t, other.Path(), to)
	half := address(t, c)
	stop := errors.New("stop")
	if _, err := transfer.Copy(t.Context(), other.Path(), half, transfer.Options{Progress: func(string, int64) error { return stop }}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	if _, err := transfer.Copy(t.Context(), half, filepath.Join(t.TempDir(), "x.db"), transfer.Options{}); err == nil {
		t.Error("half a copy was copied")
	}
	if done, err := store.Migrate(t.Context(), half, store.Options{Now: d.Clock.Now, NewID: d.NewID}); err == nil {
		t.Errorf("half a copy got the schema: %v", done)
	}
	// Databases of tests have the same ids, and so the same first event.
	if _, err := dial(t, half).Exec(t.Context(), "UPDATE toolcrib.unfinished_copy SET genesis = 'another'"); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	if err := os.WriteFile(foreign, []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{to, half, other.Path(), foreign} {
		before, _ := os.ReadFile(target)
		if report, err := transfer.Copy(t.Context(), d.Path(), target, transfer.Options{}); err == nil {
			t.Errorf("%s: %+v", target, report)
		}
		if after, _ := os.ReadFile(target); !slices.Equal(before, after) {
			t.Errorf("%s was changed", target)
		}
	}
}

// TestResumesAfterKills kills the process after each batch in turn, in both
// directions, and lets the next one go on.
func TestResumesAfterKills(t *testing.T) {
	shortrun.NeedsLong(t)
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	to, back := address(t, c), filepath.Join(t.TempDir(), "back.db")
	for _, hop := range [][2]string{{d.Path(), to}, {to, back}} {
		kills := 0
		for ; kills < 100; kills++ {
			cmd := exec.CommandContext(t.Context(), os.Args[0], hop[0], hop[1])
			cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(1+kills%2))
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if cmd.ProcessState.ExitCode() != -1 {
				t.Fatalf("%v: %s", err, out)
			}
		}
		if kills < 5 {
			t.Errorf("%s to %s was killed %d times only", hop[0], hop[1], kills)
		}
	}
	verify(t, back)
	if again := copied(t, d.Path(), back); !again.Already {
		t.Errorf("%+v", again)
	}
}

// TestSourceChangesMeanwhile stops a copy, changes the source, and goes on.
func TestSourceChangesMeanwhile(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	stop := errors.New("stop")
	for _, to := range []string{address(t, c), filepath.Join(t.TempDir(), "copy.db")} {
		_, err := transfer.Copy(t.Context(), d.Path(), to, transfer.Options{Progress: func(table string, _ int64) error {
			if table == "versions" {
				return stop
			}
			return nil
		}})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		desk := d.Desk(t, review.Policy{Severities: storetest.Basics()})
		d.Approved(t, desk, proposals.Actor{Kind: proposals.User, Name: "mara"}, storetest.Action("late_"+strconv.Itoa(len(to))))
		if err := d.SQL(t.Context(), "UPDATE memories SET content = content || '!'"); err != nil {
			t.Fatal(err)
		}
		copied(t, d.Path(), to)
		if again := copied(t, d.Path(), to); !again.Already {
			t.Errorf("%+v", again)
		}
	}
}

// TestPrint creates a registry by the statements that are printed for somebody else.
func TestPrint(t *testing.T) {
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

// TestTwoCopiesAtOnce copies a database into the same new one by two processes at
// once, again and again: at least one of them ends the copy, and it is whole. Who
// does not says why, and nothing is mixed.
func TestTwoCopiesAtOnce(t *testing.T) {
	if os.Getenv("TOOLCRIB_CRASH") == "" {
		t.Skip("it takes long; make crash runs it")
	}
	shortrun.OneGoroutine(t)
	t.Parallel()
	c := pgtest.Shared(t)
	d := source(t)
	dir := t.TempDir()
	for round := range 10 {
		to := filepath.Join(dir, fmt.Sprintf("both_%d.db", round))
		if round%2 == 0 {
			to = address(t, c)
		}
		var ended [2]error
		var said [2][]byte
		var both sync.WaitGroup
		for i := range ended {
			both.Go(func() {
				const never = 1 << 30
				cmd := exec.CommandContext(t.Context(), os.Args[0], d.Path(), to)
				cmd.Env = append(os.Environ(), childVariable+"="+strconv.Itoa(never))
				said[i], ended[i] = cmd.CombinedOutput()
			})
		}
		both.Wait()
		if ended[0] != nil && ended[1] != nil {
			t.Errorf("%s: neither ended the copy: %q", to, said)
		}
		for i := range ended {
			if ended[i] != nil && !strings.Contains(string(said[i]), "another process copies into the same target") {
				t.Errorf("%s: %s", to, said[i])
			}
		}
		if report := copied(t, d.Path(), to); !report.Already || report.Copied != 0 {
			t.Errorf("%s: %+v", to, report)
		}
		back := filepath.Join(dir, fmt.Sprintf("back_%d.db", round))
		copied(t, to, back)
		verify(t, back)
	}
}
