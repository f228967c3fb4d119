package cli_test

import (
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestSSHFloods sends a workbench a paste without measure, a sequence without end, a
// window of any size, and thousands of windows. The session goes on, and the server
// keeps nothing of it.
func TestSSHFloods(t *testing.T) {
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
	flood := strings.Repeat("x", 1<<20)
	for _, start := range []string{"/\x1b[200~", "\x1b[201~\x1b[0200~", "\x1b]"} {
		s.press(t, start)
		for range 24 {
			s.press(t, flood)
		}
		if after := used(); after > before+16<<20 {
			t.Errorf("after %q and 24 MiB the process has %d MiB more", start, (after-before)>>20)
		}
		s.press(t, "\x1b[201~")
	}
	_ = s.WindowChange(1<<31, 1<<31)
	for i := range 5000 {
		_ = s.WindowChange(20+i%20, 80+i%40)
	}
	_ = s.WindowChange(30, 100)
	if after := used(); after > before+64<<20 {
		t.Errorf("after 5000 windows the process has %d MiB more", (after-before)>>20)
	}
	h.wants(h.as("mara", "", "list"), 0) // others are served meanwhile
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	for range 100 { // a key right after a flood may count as part of it
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
