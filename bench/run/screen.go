package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"
)

// screen is a program that draws on a terminal: its first frame is there when
// it has written these texts, in this order. "q" leaves it.
type screen struct {
	command

	texts []string
}

// patience is how long a first frame may take.
const patience = 20 * time.Second

// firstFrame starts the program on a pseudo-terminal and returns how long it
// took until its first frame was there.
func (s screen) firstFrame(ctx context.Context) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, s.argv[0], s.argv[1:]...)
	cmd.Dir = s.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor"}, s.env...)
	start := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		return 0, err
	}
	defer tty.Close()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	took, err := s.drawn(tty, start)
	if err != nil {
		return 0, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	if _, err := tty.WriteString("q"); err != nil {
		return 0, err
	}
	go func() { // whoever does not read what is written holds the writer up
		buf := make([]byte, 1<<16)
		for {
			if _, err := tty.Read(buf); err != nil {
				return
			}
		}
	}()
	return took, cmd.Wait()
}

func (s screen) drawn(tty *os.File, start time.Time) (time.Duration, error) {
	var seen []byte
	buf := make([]byte, 1<<16)
	for {
		n, err := tty.Read(buf)
		now := time.Now()
		seen = append(seen, buf[:n]...)
		rest, all := seen, true
		for _, text := range s.texts {
			if _, rest, all = bytes.Cut(rest, []byte(text)); !all {
				break
			}
		}
		if all {
			return now.Sub(start), nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: no frame: %w after %.300q", s.argv[0], err, seen)
		}
	}
}

// frame is the way to the first frame, beside tig's on a repository of as many
// commits.
func (b bench) frame(ctx context.Context, c *crib, p peers, n int) (operation, error) {
	ours := screen{command: c.command(), texts: []string{"crowd_tool_", " quit"}}
	op := operation{name: "first frame on a terminal", size: fmt.Sprint(n), contenders: []contender{{
		name: "toolcrib", shown: "toolcrib", time: func(ctx context.Context, _ int) (time.Duration, error) { return ours.firstFrame(ctx) },
	}}}
	if !has("tig") || !has("git") {
		return op, nil
	}
	repo, err := p.git(ctx, n)
	if err != nil {
		return op, err
	}
	tig := screen{command: command{argv: []string{"tig"}, dir: repo, env: []string{"HOME=" + b.dir}}, texts: []string{"Scene pacer"}}
	op.contenders = append(op.contenders, contender{
		name: "tig", shown: "tig", time: func(ctx context.Context, _ int) (time.Duration, error) { return tig.firstFrame(ctx) },
	})
	return op, nil
}
