package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"toolcrib/tools/bench/newcomer"
	"toolcrib/tools/bench/terminal"
)

// How long the screens of the tour are shown.
const (
	short = time.Second
	read  = 2 * time.Second // where there is something new to read
)

// record writes the walk of a newcomer through toolcrib demo as a film.
func record(ctx context.Context, s studio, file string) (err error) {
	t, err := terminal.Start(ctx, terminal.Program{
		Args: []string{s.bin, "demo"}, Dir: s.home, Env: append(s.env(), "TMPDIR="+s.home, "PATH="+os.Getenv("PATH")), Width: newcomer.Width, Height: newcomer.Height,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	var frames []terminal.Frame
	take := func(caption string, lasts time.Duration) error {
		if _, err := t.Steady(ctx); err != nil {
			return err
		}
		styled, err := t.Styled(ctx)
		frames = append(frames, terminal.Frame{Styled: strings.TrimRight(styled, "\n"), Caption: caption, Lasts: lasts})
		return err
	}
	if _, err := t.Wait(ctx, "▎Your turn 1", "help"); err != nil {
		return err
	}
	if err := take("toolcrib demo", read); err != nil {
		return err
	}
	err = newcomer.Walk(ctx, t, func(step newcomer.Step, keys []string) error {
		if step.Type != "" {
			return take(step.Type, short)
		}
		return take(strings.Join(keys, " ")+"  "+step.Label, read)
	})
	if err != nil {
		return err
	}
	film := terminal.Film(frames, newcomer.Width, newcomer.Height, terminal.Dark())
	return os.WriteFile(file, []byte(film), 0o644) //nolint:gosec // for everybody to read
}
