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

// killsVariable says how many processes TestKilledWhileApproving kills.
const killsVariable = "TOOLCRIB_KILLS"

func kills(t *testing.T) int {
	t.Helper()
	if s := os.Getenv(killsVariable); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", killsVariable, err)
		}
		return n
	}
	return max(30/stride, 3)
}

// approval is what a process said it had approved.
type approval struct {
	proposal string
	subject  registry.Subject
	version  int
	hash     string
}

// TestKilledWhileApproving kills processes that approve in a loop at moments
// that nobody chose. Whatever they acknowledged before is there afterwards, as
// they said, once, and every chain is whole; at most one approval is there that
// was not acknowledged, because the process was killed before it could say so.
func TestKilledWhileApproving(t *testing.T) {
	shortrun.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "toolcrib.db")
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var acknowledged []approval
	silent := 0
	for kill := range kills(t) {
		said := killed(t, path, kill+1, random)
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
	t.Logf("%d kills, %d approvals acknowledged, all there; %d more written, not yet acknowledged", kills(t), len(acknowledged), silent)
}

// killed runs a process that approves in a loop, kills it at a random moment
// after it began, and returns what it acknowledged.
func killed(t *testing.T, path string, series int, random *rand.Rand) []approval {
	t.Helper()
	cmd := spawn(t.Context(), "loop", path, strconv.Itoa(series))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(random.IntN(150_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	text, err := io.ReadAll(bufio.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the process ended by itself: %v", err)
	}
	var said []approval
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(fields) != 4 {
			continue // killed while it was saying it
		}
		subject, err := registry.ParseSubject(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		version, err := strconv.Atoi(fields[2])
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, approval{fields[0], subject, version, fields[3]})
	}
	return said
}

// approvals opens the database as the next process would, verifies it, and
// returns what was approved in it. The registry is at the last version of each
// subject.
func approvals(t *testing.T, path string) []approval {
	t.Helper()
	db := storetest.Open(t, path)
	defer db.Close() //nolint:errcheck // closed once more, and looked at, when the test ends
	if report := verify(t, db); len(report.Damage) > 0 {
		t.Fatalf("damage: %+v", report.Damage)
	}
	h := openHand(t, db)
	defer h.conn.Close() //nolint:errcheck // it only read
	rows, err := h.conn.QueryContext(t.Context(), "SELECT v.proposal, v.subject, v.number, v.hash FROM versions v WHERE v.proposal <> '' ORDER BY v.seq")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var there []approval
	seen := map[string]bool{}
	for rows.Next() {
		var a approval
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

// TestKilledWhileMaking kills processes that make a database: the next one goes
// on where it was left.
func TestKilledWhileMaking(t *testing.T) {
	storetest.NeedsFile(t)
	shortrun.OneGoroutine(t)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for kill := range max(kills(t)/3, 1) {
		path := filepath.Join(t.TempDir(), "toolcrib.db")
		for range 3 {
			killedWhileMaking(t, path, random)
		}
		if report := verify(t, storetest.Open(t, path)); len(report.Damage) > 0 {
			t.Errorf("kill %d: %+v", kill, report.Damage)
		}
	}
}

func killedWhileMaking(t *testing.T, path string, random *rand.Rand) {
	t.Helper()
	cmd := spawn(t.Context(), "open", path, "1")
	p := proctest.Start(t, cmd)
	if _, err := p.Out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(random.IntN(30_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.In.Close() // whether it ends by itself or is killed
	_ = p.Wait()     // before, both happen
}
