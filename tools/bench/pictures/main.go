// Command pictures makes the pictures of the README from the real program: it
// fills a database with the proposals of the demonstration, opens the
// workbench on it in a terminal, goes to each screen and writes it as an SVG
// file. Then it records the walk of a newcomer through toolcrib demo as one
// more, which plays by itself.
//
//	make pictures
//
// It needs tmux.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"toolcrib/tools/bench/program"
	"toolcrib/tools/bench/terminal"
)

// The size of the terminal that is pictured, in cells, and its width where a proposal
// is shown in two panes.
const (
	width     = 120
	wideWidth = 144
	height    = 30
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/bench/pictures FOLDER")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if err := draw(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// picture is a screen, the keys that lead there from the one before, and the text
// that it has when complete. One without a name is only on the way.
type picture struct {
	name  string
	width int
	keys  []string
	shows []string
}

var pictures = []picture{
	{"queue", width, []string{"j", "j"}, []string{"set_project", " findings", "Rationale"}},
	{"review", wideWidth, []string{"Enter"}, []string{"■ block", "S109", "⟨U+", "◆"}},
	{"assessment", width, []string{"3"}, []string{"■ block", "S109", "⟨U+"}},
	{"diff", width, []string{"Q", "g", "Enter", "2"}, []string{"◆ prompt", "against version 1"}},
	{"", width, []string{"Q", "/", "agent:assistant"}, []string{"1/1"}},
	{"prompt", width, []string{"Enter", "Enter", "4"}, []string{"telegram", "tokens", "◆"}},
	{"", width, []string{"Q", "Escape"}, []string{"/7"}},
	{"marked", width, []string{"g", "Space", "j", "j", "Space", "x"}, []string{"Reject 2 proposals", "digest", "Reason"}},
}

func draw(ctx context.Context, folder string) (err error) {
	home, err := os.MkdirTemp("", "toolcrib-pictures-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	bin, err := program.Build(ctx, home)
	if err != nil {
		return err
	}
	s := studio{home, bin}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	t, err := terminal.Start(ctx, terminal.Program{
		Args: []string{s.bin, "--as", "user:mara"}, Dir: home, Env: s.env(), Width: width, Height: height,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if _, err := t.Wait(ctx, "your turn", "quit"); err != nil {
		return err
	}
	for _, p := range pictures {
		if err := p.take(ctx, t, folder); err != nil {
			return err
		}
	}
	return record(ctx, s, filepath.Join(folder, "tour.svg"))
}

// limit is how long a screen may take.
const limit = 30 * time.Second

// take goes to the screen and writes it.
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

// studio is a home with a toolcrib of its own.
type studio struct{ home, bin string }

func (s studio) env() []string {
	return []string{"HOME=" + s.home, "TOOLCRIB_DB=" + filepath.Join(s.home, "toolcrib.db")}
}

// prepare lets the people and agents of the demonstration
// propose, and mara decide some of it.
func (s studio) prepare(ctx context.Context) error {
	settings := filepath.Join(s.home, ".config", "toolcrib", "toolcrib.toml")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(settings, []byte("may_act_as = [\"user:ada\", \"user:mara\"]\n"), 0o600); err != nil {
		return err
	}
	demo, err := filepath.Abs(filepath.Join("testdata", "demo"))
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"propose", "--as", "user:ada", "viewpoint_keeper.md", "research_notes.json"},
		{"propose", "--as", "agent:drafter", "word_counts.json", "chapter_summary.md", "quick_file_reader.md"},
		{"approve", "#1", "#5", "#6", "--as", "user:mara"},
		{"reject", "#7", "--as", "user:mara", "--note", "file_reader does this."},
		{"propose", "--as", "agent:drafter", "assistant_telegram.md"},
		{"propose", "--as", "agent:importer", "set_project_comma.json", "delete_tasks_unasked.json"},
		{"propose", "--as", "user:ada", "viewpoint_keeper_close_third.md"},
	} {
		cmd := exec.CommandContext(ctx, s.bin, args...)
		cmd.Env, cmd.Dir = s.env(), demo
		if _, err := program.Output(cmd); err != nil {
			return err
		}
	}
	return nil
}
