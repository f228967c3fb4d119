package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/creack/pty"

	"toolcrib/store/storetest"
)

// The bars of frame.
const (
	maxFirst  = 30 * time.Millisecond
	maxRatio  = 1.3
	maxMemory = 100  // MB
	maxIdle   = 0.02 // of one processor
)

// prepareFrame measures the time from the start of the process to the first frame of
// the workbench on a pseudo-terminal, with few and with very many proposals, of which
// 5% are pending. It also measures the processor time of the idle workbench.
func prepareFrame(flags *flag.FlagSet) func(context.Context, lab) error {
	many := flags.Int("many", 100_000, "how many proposals the large database has")
	runs := flags.Int("runs", 30, "how often the workbench is started on each")
	idle := flags.Duration("idle", 30*time.Second, "how long it is left alone")
	return func(ctx context.Context, l lab) error { return frame(ctx, l, *many, *runs, *idle) }
}

func frame(ctx context.Context, l lab, many, runs int, idle time.Duration) error {
	sizes := []int{10, many}
	programs, took := make([]program, len(sizes)), make([]times, len(sizes))
	for i, n := range sizes {
		var err error
		if programs[i], err = l.program(ctx, fmt.Sprintf("%d.db", n)); err != nil {
			return err
		}
		waiting := (n + 19) / 20
		if err := fill(ctx, programs[i].database, storetest.Dataset{Tools: n - waiting, Waiting: waiting}); err != nil {
			return err
		}
	}
	for range runs { // alternate, so that other load affects both
		for i, p := range programs {
			s, err := p.workbench(ctx)
			if err != nil {
				return err
			}
			if err := s.end(); err != nil {
				return err
			}
			took[i] = append(took[i], s.first)
		}
	}
	for i, n := range sizes {
		say(fmt.Sprintf("first frame of %d", n), "%s, least %s", took[i], took[i].at(0))
	}
	few, large := took[0].at(50), took[1].at(50)
	ratio := float64(large) / float64(few)
	say("ratio", "%.2f, at most %.1f", ratio, maxRatio)
	most, share, err := programs[1].atRest(ctx, idle)
	if err != nil {
		return err
	}
	say("memory, most", "%.1f MB, at most %d", most, maxMemory)
	say("processor at rest", "%.2f %%, at most %.0f, over %v", 100*share, 100*maxIdle, idle)
	if large > maxFirst || ratio > maxRatio || most > maxMemory || share > maxIdle {
		return errors.New("a bar is missed")
	}
	return nil
}

// session is a workbench that runs on a pseudo-terminal.
type session struct {
	cmd   *exec.Cmd
	tty   *os.File
	first time.Duration // until the first frame
}

// workbench starts one and waits until its first frame is on the terminal whole: its
// last line is the footer.
func (p program) workbench(ctx context.Context) (*session, error) {
	s := &session{cmd: p.command(ctx)}
	s.cmd.Env = append(s.cmd.Env, "TERM=xterm-256color", "COLORTERM=truecolor")
	begun := time.Now()
	var err error
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		return nil, err
	}
	if err := s.tty.SetReadDeadline(begun.Add(time.Minute)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return nil, err
	}
	var seen []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := s.tty.Read(buf)
		s.first = time.Since(begun)
		seen = append(seen, buf[:n]...)
		if _, rows, ok := bytes.Cut(seen, []byte("crowd_tool_")); ok && bytes.Contains(rows, []byte(" quit")) {
			break
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("no frame: %w after %q", err, seen), s.end())
		}
	}
	_ = s.tty.SetReadDeadline(time.Time{})
	go func() { _, _ = io.Copy(io.Discard, s.tty) }() // unread output would block the writer
	return s, nil
}

// end leaves the workbench as a person does.
func (s *session) end() error {
	defer s.tty.Close()
	_, err := s.tty.WriteString("q")
	return errors.Join(err, s.cmd.Wait())
}

// atRest moves to the end of the queue and back, leaves the workbench idle for a while, and returns its peak memory in
// MB and its share of a processor.
func (p program) atRest(ctx context.Context, d time.Duration) (most, share float64, err error) {
	s, err := p.workbench(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	if _, err := s.tty.WriteString(strings.Repeat("\x04", 100) + "g"); err != nil {
		return 0, 0, err
	}
	time.Sleep(time.Second)
	before, err := worked(s.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(d)
	after, err := worked(s.cmd.Process.Pid)
	if err != nil {
		return 0, 0, err
	}
	most, err = memory(s.cmd.Process.Pid, "VmHWM")
	return most, float64(after-before) / float64(d), err
}
