package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/anmitsu/go-shlex"
	"golang.org/x/term"
)

// show writes text for a person, which is safe to print: through the user's pager
// where it is longer than the terminal is high.
func (a *app) show(text []byte) error {
	if a.dialogue != nil {
		a.cut = !a.dialogue.page(text)
		return nil
	}
	if pager := a.pager(bytes.Count(text, []byte("\n"))); pager != nil {
		return a.throughPager(pager, text)
	}
	_, err := a.env.Out.Write(text)
	return err
}

// pager returns the command of the pager for a number of lines, nil for none: that of
// PAGER, else less. cat is none.
func (a *app) pager(lines int) []string {
	screen, ok := a.stdout.(*os.File)
	if !ok || !a.env.OutTerminal || a.flags.noPager || a.remote != nil || a.env.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, height, err := term.GetSize(int(screen.Fd())); err != nil || lines < height {
		return nil
	}
	words, err := shlex.Split(cmp.Or(a.env.Getenv("PAGER"), "less"), true)
	if err != nil || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	return words
}

// throughPager hands text to a pager and waits until the user has left it. An interrupt
// is the pager's: it must not lose its terminal to a process that ends before.
func (a *app) throughPager(pager []string, text []byte) error {
	if a.env.Hold != nil {
		defer a.env.Hold()()
	}
	c := exec.CommandContext(context.Background(), pager[0], pager[1:]...) //nolint:gosec // the user's own
	unread, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer unread.Close()
	c.Stdin, c.Stdout, c.Stderr = unread, a.stdout, a.env.Err
	go func() {
		_, _ = to.Write(text) // ends when all is read, by the pager or below
		_ = to.Close()
	}()
	c.Env = os.Environ()
	if a.env.Getenv("LESS") == "" {
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as git has it: colours, and no page for what fits
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // it counts what the pager left
	var left *exec.ExitError
	if err == nil || c.Process != nil && errors.As(err, &left) {
		a.cut = rest > 0
		return nil // the user has seen enough
	}
	_, err = a.env.Out.Write(text)
	return err
}
