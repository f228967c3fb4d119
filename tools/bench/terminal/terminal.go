// Package terminal runs a program in a real terminal, which a separate tmux server provides. It types input and
// reads the screen.
package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrMissing is returned by Start if tmux is not installed.
var ErrMissing = errors.New("tmux is not installed")

// look sets how often the screen is read while something is waited for.
const look = 10 * time.Millisecond

// Terminal is a running program with its screen.
type Terminal struct {
	dir    string // has the socket
	socket string
	pid    int
}

// Program is the program that runs in a terminal.
type Program struct {
	Args          []string
	Dir           string
	Env           []string // complete environment; TERM, COLORTERM, and COLORFGBG get defaults
	Width, Height int      // in cells
}

// Start starts a program. The caller closes the terminal.
func Start(ctx context.Context, p Program) (*Terminal, error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, ErrMissing
	}
	dir, err := os.MkdirTemp("", "toolcrib-tmux-")
	if err != nil {
		return nil, err
	}
	t := &Terminal{dir: dir, socket: filepath.Join(dir, "socket")}
	// A detached tmux reports no background color. Without COLORFGBG, the workbench would ask for a theme.
	env := append([]string{"TERM=xterm-256color", "COLORTERM=truecolor", "COLORFGBG=15;0", "LC_ALL=C.UTF-8", "PATH=" + os.Getenv("PATH")}, p.Env...)
	args := slices.Concat([]string{
		"-f", "/dev/null", "-u", "new-session", "-d", "-x", strconv.Itoa(p.Width), "-y", strconv.Itoa(p.Height), "-c", p.Dir,
		"env", "-i",
	}, env, p.Args)
	if _, err := t.tmux(ctx, args...); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	for _, option := range [][]string{{"status", "off"}, {"escape-time", "0"}, {"window-size", "manual"}} {
		if _, err := t.tmux(ctx, append([]string{"set-option", "-g"}, option...)...); err != nil && t.open(ctx) {
			return nil, errors.Join(err, t.Close())
		}
	}
	pid, err := t.tmux(ctx, "display-message", "-p", "#{pane_pid}")
	if err == nil {
		t.pid, err = strconv.Atoi(strings.TrimSpace(pid))
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, t.Resize(ctx, p.Width, p.Height)
}

// tmux runs a command of tmux and returns its output.
func (t *Terminal) tmux(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TMUX") })
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}

// PID returns the id of the program's process.
func (t *Terminal) PID() int { return t.pid }

// open reports whether the terminal is there: it ends with its program.
func (t *Terminal) open(ctx context.Context) bool {
	_, err := t.tmux(ctx, "has-session")
	return err == nil
}

// Press presses keys, each named as tmux names it: a, Enter, Tab, C-d.
func (t *Terminal) Press(ctx context.Context, keys ...string) error {
	_, err := t.tmux(ctx, append([]string{"send-keys", "--"}, keys...)...)
	return err
}

// Type types a text.
func (t *Terminal) Type(ctx context.Context, text string) error {
	_, err := t.tmux(ctx, "send-keys", "-l", "--", text)
	return err
}

// Resize makes the terminal another size, in cells.
func (t *Terminal) Resize(ctx context.Context, width, height int) error {
	_, err := t.tmux(ctx, "resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
	return err
}

// Screen returns the text on the screen.
func (t *Terminal) Screen(ctx context.Context) (string, error) {
	return t.tmux(ctx, "capture-pane", "-p")
}

// Styled returns the text on the screen with its colors, as SGR sequences.
func (t *Terminal) Styled(ctx context.Context) (string, error) {
	return t.tmux(ctx, "capture-pane", "-p", "-e", "-N")
}

// Wait waits until all of the texts are on the screen, and returns it. It
// fails with the last screen when ctx ends first.
func (t *Terminal) Wait(ctx context.Context, texts ...string) (string, error) {
	return t.Until(ctx, fmt.Sprintf("%q", texts), func(screen string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(screen, text) })
	})
}

// Gone waits until a text has disappeared from the screen.
func (t *Terminal) Gone(ctx context.Context, text string) error {
	_, err := t.Until(ctx, "the end of "+strconv.Quote(text), func(screen string) bool { return !strings.Contains(screen, text) })
	return err
}

// still sets how long a screen has to stay the same to be complete: the expected
// text appears before the last part of a frame is drawn.
const still = 500 * time.Millisecond

// Steady returns the screen when nothing on it changes any more.
func (t *Terminal) Steady(ctx context.Context) (string, error) {
	for last := ""; ; {
		screen, err := t.Screen(ctx)
		if err != nil || screen == last {
			return screen, err
		}
		last = screen
		select {
		case <-time.After(still):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// Until waits until holds accepts the screen, and returns it. It fails with the
// last screen when ctx ends first.
func (t *Terminal) Until(ctx context.Context, what string, holds func(string) bool) (string, error) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	last := ""
	for {
		screen, err := t.Screen(ctx)
		if err == nil {
			last = screen
			if holds(screen) {
				return screen, nil
			}
		}
		select {
		case <-tick.C:
			if err != nil {
				return "", fmt.Errorf("waiting for %s: %w; the last screen was\n%s", what, err, last)
			}
		case <-ctx.Done():
			return "", fmt.Errorf("waiting for %s: %w; the screen is\n%s", what, ctx.Err(), last)
		}
	}
}

// Ended waits until the program is gone.
func (t *Terminal) Ended(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for t.running(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the program does not end: %w", ctx.Err())
		}
	}
	return nil
}

// running asks the system, as the terminal may be gone before the program.
// A process that ended and was not waited for is a Z.
func (t *Terminal) running(ctx context.Context) bool {
	out, err := exec.CommandContext(ctx, "ps", "-o", "stat=", "-p", strconv.Itoa(t.pid)).Output()
	return err == nil && !strings.HasPrefix(string(out), "Z")
}

// Shut closes the terminal over the program's head, as closing a window or
// losing a connection does: the program gets SIGHUP and its screen is gone.
func (t *Terminal) Shut(ctx context.Context) error {
	_, err := t.tmux(ctx, "kill-server")
	return err
}

// Close ends the terminal and what runs in it, and waits a few seconds at most until the
// program has put its files away.
func (t *Terminal) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = t.Shut(ctx) // an error means that it is gone already
	if t.pid != 0 {
		_ = t.Ended(ctx) // one that hangs is the caller's to find
	}
	return os.RemoveAll(t.dir)
}
