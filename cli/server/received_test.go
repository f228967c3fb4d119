package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"toolcrib/gateway/follow"
	"toolcrib/review"
)

// TestReceivedLogsAreLimited fills the logs of a token from many machines. Another token is unaffected, and space that
// is made is used.
func TestReceivedLogsAreLimited(t *testing.T) {
	logs := receivedLogs{dir: t.TempDir(), limit: 20 * fileCost, used: map[string]diskUsage{}}
	now := time.Now()
	line := `{"seq":1,"call":{}}`
	send := func(token string, machine int) error {
		return logs.add(token, follow.CallLines{Machine: fmt.Sprintf("%032x", machine), Lines: []string{line}}, now)
	}
	sent := 0
	for ; sent < 100; sent++ {
		if err := send("a", sent); err != nil {
			if !errors.Is(err, review.ErrLimit) {
				t.Fatal(err)
			}
			break
		}
	}
	if sent < 2 || sent > 20 {
		t.Errorf("%d machines fit", sent)
	}
	if err := send("b", 1); err != nil {
		t.Errorf("another token: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(logs.dir, "a")); err != nil {
		t.Fatal(err)
	}
	now = now.Add(remeasure)
	if err := send("a", 1); err != nil {
		t.Errorf("after the files were moved: %v", err)
	}
}
