package store_test

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/proctest"
	"toolcrib/internal/shortrun"
	"toolcrib/registry"
	"toolcrib/store/storetest"
)

// whole reports whether to run all crash tests, as make crash does.
func whole() bool { return os.Getenv("TOOLCRIB_CRASH") == "whole" }

// kills returns the number of processes that a test kills.
func kills() int {
	if whole() {
		return 100
	}
	return max(10/stride, 3)
}

// acknowledgement is an approval that a process reported.
type acknowledgement struct {
	proposal string
	subject  registry.Subject
	version  int
	hash     string
}

// TestKilledWhileApproving kills processes that approve in a loop, at random times. All acknowledged approvals must be
// in the database exactly once and unchanged, and all chains must be valid. There may be one more approval, if the
// process was killed before it acknowledged that approval.
func TestKilledWhileApproving(t *testing.T) {
	shortrun.OneGoroutine(t)
	path := storetest.New(t).Path()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var acknowledged []acknowledgement
	silent := 0
	for kill := range kills() {
		said := parseApprovals(t, runAndKill(t, "loop", path, kill+1, random))
		acknowledged = append(acknowledged, said...)
		there := approvals(t, path)
		for _, a := range acknowledged {
			if !slices.Contains(there, a) {
				t.Fatalf("kill %d: %+v was acknowledged and is not there", kill+1, a)
			}
		}
		if more := len(there) - len(acknowledged) - silent; more != 0 && more != 1 {
			t.Fatalf("kill %d: %d approvals are there that nobody acknowledged", kill+1, more)
		}
		silent = len(there) - len(acknowledged)
	}
	if len(acknowledged) < kills()/2 {
		t.Errorf("only %d approvals were acknowledged", len(acknowledged))
	}
	t.Logf("%d kills, %d approvals acknowledged, all there; %d more written, not yet acknowledged", kills(), len(acknowledged), silent)
}

// runAndKill runs a process with a task that loops, kills it at a random time after a random number of acknowledgements,
// and returns these.
func runAndKill(t *testing.T, task, path string, series int, random *rand.Rand) []string {
	t.Helper()
	cmd := spawn(t.Context(), task, path, strconv.Itoa(series))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const most = 20_000 // microseconds after the acknowledgement, which is enough for several approvals
	after, delay := random.IntN(5), time.Duration(random.IntN(most))*time.Microsecond
	var lines []string
	for read := bufio.NewReader(out); ; {
		if len(lines) == after {
			time.AfterFunc(delay, func() { _ = cmd.Process.Kill() }) // the caller waits for it
		}
		line, err := read.ReadString('\n')
		if err == nil {
			lines = append(lines, line)
			continue
		}
		if err != io.EOF { // the last line may be incomplete
			t.Fatal(err)
		}
		break
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the process ended by itself: %v", err)
	}
	return lines
}

// parseApprovals parses the output of approveForEver.
func parseApprovals(t *testing.T, lines []string) []acknowledgement {
	t.Helper()
	var said []acknowledgement
	for _, line := range lines {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			t.Fatalf("it said %q", line)
		}
		subject, err := registry.ParseSubject(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		version, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, acknowledgement{fields[0], subject, version, fields[3]})
	}
	return said
}

// approvals opens the database in the same way as the next process, verifies it, and returns the approvals in it. It
// checks that the registry contains the last version of each subject.
func approvals(t *testing.T, path string) []acknowledgement {
	t.Helper()
	db := storetest.Open(t, path)
	defer db.Close() //nolint:errcheck // closed once more, and looked at, when the test ends
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Fatalf("damage: %+v", report.Damage)
	}
	h := openRawDB(t, db)
	defer h.conn.Close() //nolint:errcheck // it only read
	rows, err := h.conn.QueryContext(t.Context(), "SELECT v.proposal, v.subject, v.number, v.hash FROM versions v WHERE v.proposal <> '' ORDER BY v.seq")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var there []acknowledgement
	seen := map[string]bool{}
	for rows.Next() {
		var a acknowledgement
		var subject string
		if err := rows.Scan(&a.proposal, &subject, &a.version, &a.hash); err != nil {
			t.Fatal(err)
		}
		if seen[a.proposal] {
			t.Fatalf("%s was approved twice", a.proposal)
		}
		seen[a.proposal] = true
		if a.subject, err = registry.ParseSubject(subject); err != nil {
			t.Fatal(err)
		}
		there = append(there, a)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return there
}

// TestKilledWhileCreating kills processes that create a database. The next process must resume the creation.
func TestKilledWhileCreating(t *testing.T) {
	shortrun.NeedsLong(t)
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for kill := range max(kills()/3, 1) {
		path := filepath.Join(t.TempDir(), "toolcrib.db")
		for range 3 {
			killWhileCreating(t, path, random)
		}
		if report := verify(t, storetest.Open(t, path)); len(report.Damage) > 0 {
			t.Errorf("kill %d: %+v", kill, report.Damage)
		}
	}
}

func killWhileCreating(t *testing.T, path string, random *rand.Rand) {
	t.Helper()
	cmd := spawn(t.Context(), "open", path, "1")
	p := proctest.Start(t, cmd)
	if _, err := p.Out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(random.IntN(30_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.In.Close() // whether it exits or is killed
	_ = p.Wait()     // it may already have exited
}
