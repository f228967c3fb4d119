//go:build unix

package crash

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// racers is how many processes approve at once.
const racers = 16

// TestProcessesRaceToApprove lets processes approve one proposal concurrently: one
// creates the version, and the others get a conflict.
func TestProcessesRaceToApprove(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	races := blows(200, 1)
	for range races {
		race(t)
	}
	figures.note(t, fmt.Sprintf("%d processes approving one proposal", racers), races, "one version each time; %d times exit 4", racers-1)
}

func race(t *testing.T) {
	t.Helper()
	c := newTestDB(t)
	id := ids(t, c.must(proposal("user", "scene_pacer"), "propose", "--json", "-"))[0]
	codes := make([]int, racers)
	var ready sync.WaitGroup
	start := make(chan struct{})
	for i := range racers {
		ready.Go(func() {
			<-start
			_, _, codes[i] = c.run("", "--approve", id)
		})
	}
	close(start)
	ready.Wait()
	count := map[int]int{}
	for _, code := range codes {
		count[code]++
	}
	if count[0] != 1 || count[4] != racers-1 {
		t.Errorf("exit codes %v; want one 0 and %d times 4", count, racers-1)
	}
	var history struct {
		Versions []json.RawMessage `json:"versions"`
	}
	if err := json.Unmarshal([]byte(c.must("", "history", "tool:user/scene_pacer", "--json")), &history); err != nil {
		t.Fatal(err)
	}
	if len(history.Versions) != 1 {
		t.Errorf("%d versions, want 1", len(history.Versions))
	}
	c.must("", "verify", "--deep")
}
