package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/tools/bench/program"

	"github.com/creack/pty"
)

// bench is a toolcrib on a database.
type bench struct{ bin, db string }

// session is a workbench that runs on a pseudo-terminal.
type session struct {
	cmd   *exec.Cmd
	tty   *os.File
	begun time.Time
}

func (b bench) start(ctx context.Context) (*session, error) {
	home := filepath.Dir(b.db)
	s := &session{cmd: exec.CommandContext(ctx, b.bin, "--db", b.db)}
	s.cmd.Dir = home
	s.cmd.Env = []string{"HOME=" + home, "TERM=xterm-256color", "COLORTERM=truecolor", "PATH=" + os.Getenv("PATH")}
	s.begun = time.Now()
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 120})
	s.tty = tty
	return s, err
}

// drawn waits until the first frame is on the terminal whole: its last line
// is the footer.
func (s *session) drawn() (time.Duration, error) {
	if err := s.tty.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return 0, err
	}
	var seen []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := s.tty.Read(buf)
		now := time.Now()
		seen = append(seen, buf[:n]...)
		if _, rows, ok := bytes.Cut(seen, []byte("crowd_tool_")); ok && bytes.Contains(rows, []byte(" quit")) {
			return now.Sub(s.begun), nil
		}
		if err != nil {
			return 0, fmt.Errorf("no frame: %w after %q", err, seen)
		}
	}
}

// end leaves the workbench as a person does.
func (s *session) end() error {
	defer s.tty.Close()
	if _, err := s.tty.WriteString("q"); err != nil {
		return err
	}
	go func() { // unread output would block the writer
		buf := make([]byte, 1<<16)
		for {
			if _, err := s.tty.Read(buf); err != nil {
				return
			}
		}
	}()
	return s.cmd.Wait()
}

func (b bench) firstFrame(ctx context.Context) (time.Duration, error) {
	s, err := b.start(ctx)
	if err != nil {
		return 0, err
	}
	took, err := s.drawn()
	return took, errors.Join(err, s.end())
}

// rest is the cost of a workbench that is left alone.
type rest struct {
	memory    int64   // most that was resident, in bytes
	processor float64 // share of one processor
}

// atRest goes to the end of the queue and back, and leaves the workbench alone
// for a while.
func (b bench) atRest(ctx context.Context, d time.Duration) (rest, error) {
	s, err := b.start(ctx)
	if err != nil {
		return rest{}, err
	}
	if _, err := s.drawn(); err != nil {
		return rest{}, errors.Join(err, s.end())
	}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			if _, err := s.tty.Read(buf); err != nil {
				return
			}
		}
	}()
	if _, err := s.tty.WriteString(strings.Repeat("\x04", 100) + "g"); err != nil {
		return rest{}, err
	}
	time.Sleep(time.Second)
	before, err := program.Worked(s.cmd.Process.Pid)
	if err != nil {
		return rest{}, err
	}
	time.Sleep(d)
	after, err := program.Worked(s.cmd.Process.Pid)
	if err != nil {
		return rest{}, err
	}
	memory, err := program.PeakMemory(s.cmd.Process.Pid)
	return rest{memory: memory, processor: float64(after-before) / float64(d)}, errors.Join(err, s.end())
}
