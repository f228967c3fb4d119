//go:build unix

package crash

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"toolcrib/internal/shortrun"
)

// TestConcurrentProcesses lets processes propose, comment, decide and read concurrently, while
// the database is copied repeatedly. Every command succeeds or reports a conflict, and
// all copies and the database are intact.
func TestConcurrentProcesses(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	const processes = 8
	writes := blows(250, 3)
	c := newTestDB(t)
	c.must("", opening()...)
	var crowd sync.WaitGroup
	var mu sync.Mutex
	answers := map[int]int{}
	for p := range processes {
		crowd.Go(func() {
			for w := range writes {
				args, stdin := crowdAct(p, w)
				_, errs, code := c.run(stdin, args...)
				mu.Lock()
				answers[code]++
				mu.Unlock()
				if code != 0 && code != 3 && code != 4 && code != 5 {
					t.Errorf("process %d: %v: exit %d\n%s", p, args, code, errs)
				}
			}
		})
	}
	copies := blows(12, 2)
	dir := t.TempDir()
	for n := range copies {
		c.must("", "backup", filepath.Join(dir, fmt.Sprintf("%d.db", n)))
	}
	crowd.Wait()
	for n := range copies {
		restored := c.on(filepath.Join(dir, fmt.Sprintf("%d.db", n)))
		restored.must("", "verify", "--deep")
		restored.must(proposal("user", "after_all"), "propose", "-")
	}
	c.must("", "verify", "--deep")
	figures.note(t, fmt.Sprintf("%d processes writing at once, %d acts each", processes, writes), processes*writes,
		"%d done, %d came too late or were refused with a sentence; verify clean", answers[0], answers[3]+answers[4]+answers[5])
	figures.note(t, "backup while they write", copies, "every copy verified, and worked on as a database")
}

// crowdAct returns the arguments of process p at its wth turn.
func crowdAct(p, w int) (args []string, stdin string) {
	ref := fmt.Sprintf("#%d", 1+(p*7+w*3)%(w+2))
	switch w % 5 {
	case 0, 1:
		return []string{"propose", "-", "--as", fmt.Sprintf("user:person_%d", p)}, proposal("user", fmt.Sprintf("tool_%d_%d", p, w))
	case 2:
		return []string{"comment", ref, "--note", "Looked at it."}, ""
	case 3:
		return []string{"--approve", ref}, ""
	default:
		return []string{"needs-changes", ref, "--note", strings.Repeat("More. ", 3)}, ""
	}
}
