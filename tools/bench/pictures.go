package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"time"

	"toolcrib/tools/bench/newcomer"
	"toolcrib/tools/bench/terminal"
)

// The size of the terminal that is pictured, in cells, and its width where a proposal
// is shown in two panes.
const (
	width     = 120
	wideWidth = 144
	height    = 30
)

// preparePictures creates the pictures of the README with the real program: it fills a database with the proposals of
// the demonstration, opens the workbench in a terminal, visits each screen, and writes it as an SVG file. It also
// records the walk of a newcomer through toolcrib demo as an animated picture.
func preparePictures(flags *flag.FlagSet) func(context.Context, lab) error {
	folder := flags.String("folder", "docs/pictures", "the `FOLDER` to write to")
	return func(ctx context.Context, l lab) error {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
		defer cancel()
		p, err := l.program(ctx, "toolcrib.db")
		if err != nil {
			return err
		}
		return draw(ctx, p, *folder)
	}
}

// picture is a screen, the keys that lead to it from the previous screen, and the text that it contains when complete.
// A picture without a name is not saved.
type picture struct {
	name  string
	width int
	keys  []string
	shows []string
}

var pictures = []picture{
	{"queue", width, []string{"j", "j"}, []string{"set_project", " findings", "Reach"}},
	{"review", wideWidth, []string{"Enter"}, []string{"■ block", "S109", "⟨U+", "◆"}},
	{"assessment", width, []string{"3"}, []string{"■ block", "S109", "⟨U+"}},
	{"diff", width, []string{"Q", "g", "Enter", "2"}, []string{"◆ prompt", "against version 1"}},
	{"", width, []string{"Q", "/", "agent:assistant"}, []string{"1 of 1"}},
	{"prompt", width, []string{"Enter", "Enter", "4"}, []string{"telegram", "tokens", "◆"}},
	{"", width, []string{"Q", "Escape"}, []string{" of 7"}},
	{"marked", width, []string{"g", "Space", "j", "j", "Space", "x"}, []string{"━━ Reject 2 proposals ━━", "Reason"}},
	{"", width, []string{"Escape"}, []string{"enter open"}},
}

// setPictures lead to the page of a change set, which is proposed after the others are
// drawn.
var setPictures = []picture{
	{"", width, []string{"/", "harbour", "Enter"}, []string{"1 of 3", "enter opens the set"}},
	{"set", width, []string{"Enter"}, []string{"3 tools", "harbour", "send_away"}},
}

// propose imports the tools of a server as one change set.
func (p program) propose(ctx context.Context) error {
	tools, err := filepath.Abs(filepath.Join("tools", "bench", "testdata", "harbour.json"))
	if err != nil {
		return err
	}
	_, err = output(p.command(ctx, "import", tools, "--server", "harbour", "--as", "user:ada"))
	return err
}

func draw(ctx context.Context, p program, folder string) (err error) {
	if err := p.stage(ctx); err != nil {
		return err
	}
	t, err := terminal.Start(ctx, terminal.Program{
		Args: []string{p.path, "--as", "user:mara"}, Dir: p.home, Env: p.environment(), Width: width, Height: height,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if _, err := t.Wait(ctx, "your turn", "quit"); err != nil {
		return err
	}
	for _, each := range pictures {
		if err := each.take(ctx, t, folder); err != nil {
			return err
		}
	}
	if err := p.propose(ctx); err != nil {
		return err
	}
	for _, each := range setPictures {
		if err := each.take(ctx, t, folder); err != nil {
			return err
		}
	}
	return record(ctx, p, filepath.Join(folder, "tour.svg"))
}

// limit is how long a screen may take.
const limit = 30 * time.Second

// take visits the screen and saves it.
func (p picture) take(ctx context.Context, t *terminal.Terminal, folder string) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := errors.Join(t.Resize(ctx, p.width, height), t.Press(ctx, p.keys...)); err != nil {
		return err
	}
	if _, err := t.Wait(ctx, p.shows...); err != nil || p.name == "" {
		return err
	}
	if _, err := t.Steady(ctx); err != nil {
		return err
	}
	styled, err := t.Styled(ctx)
	if err != nil {
		return err
	}
	svg := terminal.SVG(styled, p.width, height, terminal.Dark())
	return os.WriteFile(filepath.Join(folder, p.name+".svg"), []byte(svg), 0o644) //nolint:gosec // for everybody to read
}

// environment is that of the terminal. It names a dark background, so that the workbench does not ask for a theme.
func (p program) environment() []string {
	return []string{"HOME=" + p.home, "TOOLCRIB_DB=" + p.database, "COLORFGBG=15;0"}
}

// stage creates the proposals of the demonstration, and decides some of them as mara.
func (p program) stage(ctx context.Context) error {
	if err := p.configure("toolcrib.toml", "may_act_as = [\"user:ada\", \"user:mara\"]\n"); err != nil {
		return err
	}
	demo, err := filepath.Abs(filepath.Join("testdata", "demo"))
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"propose", "--as", "user:ada", "viewpoint_keeper.md", "research_notes.json"},
		{"propose", "--as", "agent:drafter", "word_counts.json", "chapter_summary.md", "quick_file_reader.md"},
		{"approve", "#1", "#5", "#6", "--unseen", "--as", "user:mara"},
		{"reject", "#7", "--as", "user:mara", "--note", "file_reader does this."},
		{"propose", "--as", "agent:drafter", "assistant_telegram.md"},
		{"propose", "--as", "agent:importer", "set_project_comma.json", "delete_tasks_unasked.json"},
		{"propose", "--as", "user:ada", "viewpoint_keeper_close_third.md"},
	} {
		cmd := p.command(ctx, args...)
		cmd.Dir = demo
		if _, err := output(cmd); err != nil {
			return err
		}
	}
	return nil
}

// How long the screens of the tour are shown.
const (
	short = time.Second
	read  = 2 * time.Second // where there is something new to read
)

// record writes the walk of a newcomer through toolcrib demo as a film.
func record(ctx context.Context, p program, file string) (err error) {
	t, err := terminal.Start(ctx, terminal.Program{
		Args: []string{p.path, "demo"}, Dir: p.home, Env: append(p.environment(), "TMPDIR="+p.home, "PATH="+os.Getenv("PATH")), Width: newcomer.Width, Height: newcomer.Height,
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
	if _, err := t.Wait(ctx, "▎Your turn 3", "help"); err != nil {
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
