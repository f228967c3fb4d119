//go:build unix

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"toolcrib/internal/shortrun"
)

// outcome is how a process without enough space ended.
type outcome struct {
	acked   []string
	message string // "" when it got through
}

// until approves the proposals one by one with the shell's limits in front
// until one fails.
func (c testDB) until(limits string, waiting []string) outcome {
	c.t.Helper()
	cmd := c.command(asLoop)
	if limits != "" {
		cmd.Args = []string{"sh", "-c", limits + `; exec "$0" "$@"`, cmd.Path}
		cmd.Path = "/bin/sh"
	}
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Join(waiting, "\n")), &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	o := outcome{acked: strings.Fields(out.String())}
	if cmd.ProcessState.ExitCode() != 0 {
		o.message = strings.TrimSpace(errs.String())
		if o.message == "" || strings.Contains(o.message, "goroutine ") || strings.Contains(o.message, "SIGXFSZ") {
			c.t.Errorf("%s: exit %d and no sentence that says what to do:\n%s", limits, cmd.ProcessState.ExitCode(), o.message)
		}
	}
	return o
}

// whole checks that all acknowledged changes exist and nothing is damaged.
func (c testDB) whole(o outcome) {
	c.t.Helper()
	approved := states(c.t, c, "approved")
	for _, id := range o.acked {
		if !slices.Contains(approved, id) {
			c.t.Errorf("%s was acknowledged and is not approved", id)
		}
	}
	c.must("", "verify", "--deep")
}

// TestDiskFull lets approvals run out of disk at many sizes: the one that does
// not fit is refused with a sentence, nothing is half, and when there is room
// again everything goes on.
func TestDiskFull(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("a full disk needs root: it mounts small ones")
	}
	base := newTestDB(t)
	waiting := propose(t, base, 0, 60)
	base.must("", "verify", "--deep") // and the log is written back
	info, err := os.Stat(base.path)
	if err != nil {
		t.Fatal(err)
	}
	sizes := blows(64, 3)
	full, acked := 0, 0
	for i := range sizes {
		mount := t.TempDir()
		kib := info.Size()>>10 + 40 + int64(i*1024/sizes)
		if out, err := shell(t, fmt.Sprintf("mount -t tmpfs -o size=%dk none %s", kib, mount)); err != nil {
			t.Skipf("small disks cannot be mounted: %v\n%s", err, out)
		}
		t.Cleanup(func() { _, _ = shell(t, "umount "+mount) })
		b, err := os.ReadFile(base.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(mount, "toolcrib.db"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		c := base.on(filepath.Join(mount, "toolcrib.db"))
		o := c.until("", waiting)
		if o.message != "" {
			full++
			if !strings.Contains(o.message, "full") {
				t.Errorf("%d KiB: %q does not say that the disk is full", kib, o.message)
			}
		}
		acked += len(o.acked)
		if out, err := shell(t, "mount -o remount,size=64m "+mount); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		c.whole(o)
		if left := states(t, c, "user_review"); len(left) > 0 {
			c.must("", append([]string{"--approve", "--unseen"}, left...)...)
		}
		if out, err := shell(t, "umount "+mount); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if full == 0 {
		t.Error("no disk was ever full: the sizes prove nothing")
	}
	figures.note(t, "disk full (tmpfs of many sizes)", sizes, "%d were full; %d approvals acknowledged, none lost; the rest went through with room again", full, acked)
}

// TestFileSizeLimit does the same with the shell's limit on file sizes.
func TestFileSizeLimit(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	base := newTestDB(t)
	waiting := propose(t, base, 0, 40)
	base.must("", "verify", "--deep")
	info, err := os.Stat(base.path)
	if err != nil {
		t.Fatal(err)
	}
	limits := blows(24, 2)
	full, acked := 0, 0
	for i := range limits {
		c := base.copied(t)
		blocks := info.Size()/512 + int64(i*2048/limits) - 512
		o := c.until(fmt.Sprintf("ulimit -f %d", blocks), waiting)
		if o.message != "" {
			full++
		}
		acked += len(o.acked)
		c.whole(o)
	}
	if full == 0 {
		t.Error("no limit was ever met: the limits prove nothing")
	}
	figures.note(t, "file size limit (ulimit -f)", limits, "%d were met; %d approvals acknowledged, none lost", full, acked)
}
