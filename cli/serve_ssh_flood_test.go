package cli_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// TestSSHFloods sends an unlimited paste, an unterminated sequence, keys, windows of any size, and thousands of window
// changes to a workbench. The session must continue, and the server must not retain any of it.
func TestSSHFloods(t *testing.T) {
	shortrun.NeedsLong(t)
	h := serveSSH(t)
	s := h.screen(h.dial("mara"), "xterm-256color", 120, 40, "")
	s.seen.wait(t, `Queue`)
	used := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used()
	// settles waits until the memory of the process exceeds the initial amount by no more than limit. Drawing a frame
	// for a large window temporarily needs 100 MiB.
	settles := func(limit uint64, sent string) {
		t.Helper()
		after := used()
		for end := time.Now().Add(time.Minute); after > before+limit && time.Now().Before(end); after = used() {
			time.Sleep(10 * time.Millisecond)
		}
		if after > before+limit {
			t.Errorf("after %s the process has %d MiB more", sent, (after-before)>>20)
		}
	}
	flood := strings.Repeat("x", 1<<20)
	for _, start := range []string{"/\x1b[200~", "\x1b[201~\x1b[0200~", "\x1b]", "\x1b"} {
		s.press(t, start)
		for range 24 {
			s.press(t, flood)
		}
		settles(16<<20, fmt.Sprintf("%q and 24 MiB", start))
		s.press(t, "\x1b[201~")
	}
	_ = s.WindowChange(1<<31, 1<<31)
	for i := range 5000 {
		_ = s.WindowChange(20+i%20, 80+i%40)
	}
	_ = s.WindowChange(30, 100)
	settles(64<<20, "5000 windows")
	h.wants(h.as("mara", "", "list"), 0) // other sessions are served in the meantime
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	for range 100 { // a key immediately after a flood may count as part of it
		_, _ = io.WriteString(s.keys, "\x03")
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		case <-time.After(time.Second):
		}
	}
	t.Error("the session takes no key any more")
}
