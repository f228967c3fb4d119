//go:build unix

package crash

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"toolcrib/internal/shortrun"
)

// disk is an ext4 file system in a file. A power cut leaves the bytes that the file
// holds at that moment: the rest is in the memory of the system.
type disk struct {
	image, mount string
}

// newDisk makes an empty disk; the test is skipped where that is not allowed.
func newDisk(t *testing.T) disk {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("power cuts need root: they mount a file system from a file")
	}
	d := disk{image: filepath.Join(t.TempDir(), "disk.img"), mount: t.TempDir()}
	if err := os.WriteFile(d.image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"truncate -s 24M " + d.image, "mkfs.ext4 -q -F " + d.image} {
		if out, err := shell(t, line); err != nil {
			t.Skipf("power cuts need ext4: %s: %v\n%s", line, err, out)
		}
	}
	return d
}

// up mounts the disk until the test ends or down is called. The system writes by itself
// to no journal: a copy made while it did would have its blocks from before and after a
// barrier, which no power cut leaves.
func (d disk) up(t *testing.T) (down func()) {
	t.Helper()
	if out, err := shell(t, "mount -o loop,commit=600 "+d.image+" "+d.mount); err != nil {
		t.Skipf("power cuts need a loop device: %v\n%s", err, out)
	}
	mounted := true
	down = func() {
		if !mounted {
			return
		}
		mounted = false
		// A process that another test starts at this moment has the files of this one for
		// an instant, and the disk is busy.
		var out []byte
		err := errors.New("not tried")
		for began := time.Now(); err != nil && time.Since(began) < time.Minute; {
			out, err = exec.CommandContext(context.WithoutCancel(t.Context()), "umount", d.mount).CombinedOutput()
		}
		if err != nil {
			t.Errorf("umount: %v\n%s", err, out)
		}
	}
	t.Cleanup(down)
	return down
}

// copied is the disk as a power cut at this moment would leave it.
func (d disk) copied(t *testing.T) disk {
	t.Helper()
	cut := disk{image: filepath.Join(t.TempDir(), "cut.img"), mount: t.TempDir()}
	if out, err := shell(t, "cp --sparse=always "+d.image+" "+cut.image); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return cut
}

func shell(t *testing.T, line string) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput()
	return string(out), err
}

// cutOff runs a writer on the mounted disk, stops it some acknowledgements
// later, copies the disk as it is and kills the writer. It returns the copy
// and what had been acknowledged before the copy was begun.
func cutOff(t *testing.T, d disk, cmd *exec.Cmd, after time.Duration) (disk, []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	first, ok := <-lines
	if !ok {
		t.Fatalf("the writer acknowledged nothing: %v\n%s", cmd.Wait(), errs.String())
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	<-timer.C
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	untilStopped(t, cmd.Process.Pid)
	acked := []string{first}
	for more := true; more; {
		select {
		case line, ok := <-lines:
			if more = ok; ok {
				acked = append(acked, line)
			}
		default:
			more = false
		}
	}
	cut := d.copied(t)
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	for range lines { //nolint:revive // output after the cut is ignored
	}
	_ = cmd.Wait() // it was killed
	return cut, acked
}

// untilStopped waits until every thread of a process has stopped or left: a thread that is
// syncing stops when it is done, and a copy made meanwhile would be torn.
func untilStopped(t *testing.T, pid int) {
	t.Helper()
	running := func(stat string) bool {
		b, err := os.ReadFile(stat) //nolint:gosec // of the kernel
		if err != nil {
			return false // the thread is gone
		}
		_, after, _ := strings.Cut(string(b), ") ")
		return after != "" && !strings.ContainsAny(after[:1], "TtZX")
	}
	for t.Context().Err() == nil {
		stats, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(stats, running) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestPowerCuts simulates power cuts during approvals. All acknowledged approvals are
// on the remaining disk, and the history is intact.
func TestPowerCuts(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	cuts := blows(150, 1)
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	original := newDisk(t)
	c := newTestDB(t).on(filepath.Join(original.mount, "toolcrib.db"))
	down := original.up(t)
	waiting := propose(t, c, 0, 400)
	down()

	total := 0
	for range cuts {
		d := original.copied(t)
		here := c.on(filepath.Join(d.mount, "toolcrib.db"))
		down := d.up(t)
		cmd := here.command(asLoop)
		cmd.Stdin = strings.NewReader(strings.Join(waiting, "\n"))
		cut, acked := cutOff(t, d, cmd, time.Duration(random.Int64N(int64(150*time.Millisecond))))
		down()
		left := c.on(filepath.Join(cut.mount, "toolcrib.db"))
		down = cut.up(t)
		approved := states(t, left, "approved")
		for _, id := range acked {
			if !slices.Contains(approved, id) {
				t.Errorf("%s was acknowledged and is lost", id)
			}
		}
		left.must("", "verify", "--deep")
		down()
		total += len(acked)
		for _, image := range []string{d.image, cut.image} {
			if err := os.Remove(image); err != nil {
				t.Fatal(err)
			}
		}
	}
	figures.note(t, "power cut on ext4 while approving", cuts, "%d approvals acknowledged, none lost; verify clean each time", total)
}

// TestUnsyncedWriterLosesRows is the control: a writer that does not sync its log at
// each commit loses rows, and the battery sees it. A cut loses none where it fell into a
// checkpoint, which syncs: that is where half of the time goes. A short run therefore cuts
// on until one has lost something.
func TestUnsyncedWriterLosesRows(t *testing.T) {
	shortrun.NeedsLong(t)
	t.Parallel()
	const most = 40
	cuts, losses, rows := 0, 0, 0
	for ; cuts < blows(20, 1) || losses == 0 && cuts < most; cuts++ {
		d := newDisk(t)
		down := d.up(t)
		c := newTestDB(t)
		cmd := c.command(asUnsynced, filepath.Join(d.mount, "control.db"))
		cut, acked := cutOff(t, d, cmd, 30*time.Millisecond)
		down()
		down = cut.up(t)
		n, err := unsyncedRows(t.Context(), filepath.Join(cut.mount, "control.db"))
		if err != nil {
			t.Fatal(err)
		}
		last, err := strconv.Atoi(acked[len(acked)-1])
		if err != nil {
			t.Fatal(err)
		}
		if n < last {
			losses++
			rows += last - n
		}
		down()
	}
	if losses == 0 {
		t.Errorf("none of %d cuts lost a row that was not synced: the cuts prove nothing", cuts)
	}
	figures.note(t, "control: the same cuts without the sync at commit", cuts, "%d lost rows, %d in all", losses, rows)
}
