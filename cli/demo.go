package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// docDemo is the demonstration as it happened.
type docDemo struct {
	docHead
	Database string   `json:"database,omitempty"` // when it is kept
	Acts     []docAct `json:"acts"`
}

type docAct struct {
	Title string    `json:"title"`
	Text  string    `json:"text"`
	Steps []docStep `json:"steps"`
}

type docStep struct {
	Command []string `json:"command"`
	Exit    int      `json:"exit"`
	Stdout  string   `json:"stdout"`
	Stderr  string   `json:"stderr"`
}

func newDemo(a *app) *cobra.Command {
	var keep, printed bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole workflow on a scratch database",
		Long: `Run the whole workflow on a scratch database: users and agents propose, the
Chief of Staff reviews, forbidden acts are refused, proposals are approved and
rolled back. Every line is a real command with its real output.

The demo uses a new folder with its own database, configuration, and home, and
removes it at the end. In a terminal, the workbench opens on it.`,
		Example: `  toolcrib demo --print
  toolcrib demo --keep`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a, keep, printed) },
	}
	cmd.Flags().BoolVar(&printed, "print", false, "print the story instead of opening the workbench")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the database and print its path")
	return cmd
}

func runDemo(ctx context.Context, a *app, keep, printed bool) (err error) {
	s, err := newStage(a.env, a.colour() && !a.flags.json)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() {
		if !keep || err != nil {
			if removeErr := s.remove(); err == nil && removeErr != nil {
				err = fmt.Errorf("demo: %w", removeErr)
			}
		}
	}()
	doc := docDemo{docHead: head("demo")}
	p := a.progress()
	defer p.end()
	for i, act := range story {
		p.tell(int64(i), int64(len(story)), "Playing the demo")
		played, err := s.play(ctx, act)
		if err != nil {
			return err
		}
		doc.Acts = append(doc.Acts, played)
	}
	p.end()
	if keep {
		doc.Database = s.database()
	}
	if a.env.InTerminal && a.env.OutTerminal && !a.flags.json && !printed {
		return s.open(ctx, a)
	}
	return a.print(doc, func(p *page) { writeDemo(p, doc) })
}

func writeDemo(p *page, doc docDemo) {
	for i, act := range doc.Acts {
		if i > 0 {
			p.blank()
		}
		p.raw(p.paint(inkStrong, fmt.Sprintf("%d. %s", i+1, act.Title)))
		p.linef("%s", act.Text)
		roomy := true
		for _, step := range act.Steps {
			long := strings.Count(step.Stdout, "\n") > 3
			if roomy || long {
				p.blank()
			}
			writeStep(p, step)
			roomy = long
		}
	}
	if doc.Database != "" {
		p.blank()
		p.linef("The database is kept. Go on with: toolcrib --db %s list", shellWord(doc.Database))
	}
}

// writeStep prints a command with its output, which is sanitized already.
func writeStep(p *page, step docStep) {
	line := p.paint(inkFaint, "$ ") + safe(strings.Join(mapped(step.Command, shellWord), " "))
	if step.Exit != exitOK {
		line += p.paint(inkFaint, fmt.Sprintf("  # exit status %d", step.Exit))
	}
	p.raw(line)
	p.buf.WriteString(step.Stdout)
	p.buf.WriteString(step.Stderr)
}

// shellWord quotes a word for a POSIX shell when it has to be.
func shellWord(w string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@%+", r)
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
