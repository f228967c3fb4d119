//go:build unix

package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestKilledApprovals repeatedly kills an approver with SIGKILL at random moments, and
// compares the acknowledged approvals with the database and the workspace.
func TestKilledApprovals(t *testing.T) {
	t.Parallel()
	kills := blows(700, 5)
	folder := t.TempDir()
	c := newTestDB(t, "--project", "novel", "--workspace", folder)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 1))
	t.Logf("seed %d", seed)

	var acknowledged []string
	waiting := propose(t, c, 0, 60)
	for kill := range kills {
		if len(waiting) < 20 {
			waiting = append(waiting, propose(t, c, kill+1, 60)...)
		}
		acked := strike(t, c, waiting, time.Duration(random.Int64N(int64(300*time.Millisecond))))
		acknowledged = append(acknowledged, acked...)
		waiting = states(t, c, "user_review")
	}

	approved := states(t, c, "approved")
	for _, id := range acknowledged {
		if !slices.Contains(approved, id) {
			t.Errorf("%s was acknowledged and is not approved", id)
		}
	}
	c.must("", "verify", "--deep")
	files := agree(t, c, folder)
	figures.note(t, "kill -9 while approving into a workspace", kills, "%d approvals acknowledged, %d approved, none lost; %d snapshots agree", len(acknowledged), len(approved), files)
}

// propose submits n proposals of a round and returns their ids.
func propose(t *testing.T, c testDB, round, n int) []string {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		lines.WriteString(proposal("project/novel", fmt.Sprintf("tool_%d_%d", round, i)))
	}
	return ids(t, c.must(lines.String(), "propose", "--json", "-"))
}

// strike starts an approver, kills it after the given time and returns the ids that it
// acknowledged.
func strike(t *testing.T, c testDB, waiting []string, after time.Duration) []string {
	t.Helper()
	cmd := c.command(asLoop)
	cmd.Stdin = strings.NewReader(strings.Join(waiting, "\n"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // one that is gone already was faster
	defer timer.Stop()
	var acked []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		acked = append(acked, lines.Text())
	}
	_ = cmd.Wait() // it was killed
	return acked
}

type listed struct {
	Proposals []struct {
		ID    string `json:"id"`
		State string `json:"state"`
	} `json:"proposals"`
	Next string `json:"next"`
}

func ids(t *testing.T, doc string) []string {
	t.Helper()
	var l listed
	if err := json.Unmarshal([]byte(doc), &l); err != nil {
		t.Fatal(err)
	}
	found := make([]string, len(l.Proposals))
	for i, p := range l.Proposals {
		found[i] = p.ID
	}
	return found
}

// states returns the ids of all proposals in a state.
func states(t *testing.T, c testDB, state string) []string {
	t.Helper()
	var all []string
	for after := ""; ; {
		doc := c.must("", "list", "--json", "--limit", "1000", "--state", state, "--after", after)
		all = append(all, ids(t, doc)...)
		var l listed
		if err := json.Unmarshal([]byte(doc), &l); err != nil {
			t.Fatal(err)
		}
		if after = l.Next; after == "" {
			return all
		}
	}
}

// agree compares the workspace with the registry: every version of the project has one
// snapshot, and the live file has the live definitions. It returns the number of
// snapshots.
func agree(t *testing.T, c testDB, folder string) int {
	t.Helper()
	var tools struct {
		Tools []struct {
			Subject string `json:"subject"`
			Hash    string `json:"hash"`
		} `json:"tools"`
	}
	if err := json.Unmarshal([]byte(c.must("", "export")), &tools); err != nil {
		t.Fatal(err)
	}
	c.must("", "drift")
	want := map[string]bool{}
	for _, tool := range tools.Tools {
		if strings.HasPrefix(tool.Subject, "tool:project/novel/") {
			want[tool.Hash] = true
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, ".control-room", "prompts", "history", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		var snapshot struct {
			Hash string `json:"hash"`
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &snapshot); err != nil {
			t.Errorf("%s is half a file: %v", name, err)
		}
		if !want[snapshot.Hash] {
			t.Errorf("%s is of no live version, or stands twice", name)
		}
		delete(want, snapshot.Hash)
	}
	for hash := range want {
		t.Errorf("version %s has no snapshot", hash)
	}
	return len(files)
}
