// Package demo implements the demo command, which demonstrates the workflow on a temporary database.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolcrib/cli/command"
	"toolcrib/cli/document"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/cli/workbench"
	"toolcrib/internal/lists"
	"toolcrib/testdata"
)

// Family returns the demo command.
func Family() command.Family {
	return command.Family{
		Commands: []command.Entry{
			{Group: command.GroupOther, New: newDemo},
		},
		Documents: map[string]any{
			"demo": docDemo{},
		},
	}
}

// docDemo is a transcript of the demonstration.
type docDemo struct {
	output.Head
	Database string   `json:"database,omitempty"` // only with --keep
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

func newDemo(a *command.App) *cobra.Command {
	var keep, printed bool
	cmd := &cobra.Command{
		Use: "demo",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			s, err := newStage(a.Program, a.Env, a.Colour() && !a.Form.JSON)
			if err != nil {
				return fmt.Errorf("demo: %w", err)
			}
			defer func() {
				if !keep || err != nil {
					if removeErr := os.RemoveAll(s.dir); err == nil && removeErr != nil {
						err = fmt.Errorf("demo: %w", removeErr)
					}
				}
			}()
			doc := docDemo{Head: output.NewHead("demo")}
			p := a.Progress()
			defer p.End()
			for i, act := range story {
				p.Tell(int64(i), int64(len(story)), "Running the demo")
				played, err := s.runAct(cmd.Context(), act)
				if err != nil {
					return err
				}
				doc.Acts = append(doc.Acts, played)
			}
			p.End()
			if keep {
				doc.Database = s.database()
			}
			if a.Env.InTerminal && a.Env.OutTerminal && !a.Form.JSON && !printed {
				return s.open(cmd.Context(), a)
			}
			return a.Print(doc, func(p *output.Page) { writeDemo(p, doc) })
		},
	}
	cmd.Flags().BoolVar(&printed, "print", false, "print the commands and their output instead of opening the workbench")
	cmd.Flags().BoolVar(&keep, "keep", false, "keep the database and print its path")
	return cmd
}

func writeDemo(p *output.Page, doc docDemo) {
	for i, act := range doc.Acts {
		p.Gap()
		p.Raw(p.Paint(output.InkStrong, fmt.Sprintf("%d. %s", i+1, act.Title)))
		p.Linef("%s", act.Text)
		roomy := true
		for _, step := range act.Steps {
			long := strings.Count(step.Stdout, "\n") > 3
			if roomy || long {
				p.Blank()
			}
			line := p.Paint(output.InkFaint, "$ ") + output.Safe(strings.Join(lists.Map(step.Command, output.ShellWord), " "))
			if step.Exit != command.ExitOK {
				line += p.Paint(output.InkFaint, fmt.Sprintf("  # exit status %d", step.Exit))
			}
			p.Raw(line)
			p.Buf.WriteString(step.Stdout + step.Stderr) // the output of commands is already safe to print
			roomy = long
		}
	}
	if doc.Database != "" {
		p.Blank()
		p.Linef("To continue with this database: toolcrib --db %s list", output.ShellWord(doc.Database))
	}
}

// stage runs toolcrib commands in a temporary folder that contains the proposals of the demonstration. The commands do
// not see the environment of the user.
type stage struct {
	dir    string
	env    process.Env
	parent process.Account // account of the user who runs the demonstration

	program command.Program
}

// newStage creates the folder and copies the proposals into it. The caller must remove the folder.
func newStage(program command.Program, parent process.Env, colour bool) (*stage, error) {
	dir, err := os.MkdirTemp(parent.Getenv("TMPDIR"), "toolcrib-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{program: program, dir: dir, parent: parent.CurrentAccount()}
	s.env = process.Env{
		In: strings.NewReader(""), Getenv: s.getenv, Dir: filepath.Join(dir, "proposals"), Now: parent.Now, NewID: parent.NewID,
		OutTerminal: colour,
	}
	files, err := fs.Sub(testdata.Demo, "demo")
	if err == nil {
		err = os.CopyFS(s.env.Dir, files)
	}
	if err == nil { // this empty configuration file prevents the use of the user's files
		err = os.WriteFile(filepath.Join(s.env.Dir, settings.ConfigName), nil, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// getenv returns the value of an environment variable for the commands on the stage.
func (s *stage) getenv(name string) string {
	switch name {
	case "HOME":
		return s.dir
	case "TOOLCRIB_DB":
		return s.database()
	}
	return ""
}

func (s *stage) database() string { return filepath.Join(s.dir, "toolcrib.db") }

// run runs toolcrib with the given arguments and returns its output and exit code.
func (s *stage) run(ctx context.Context, args []string) docStep {
	var out, errs bytes.Buffer
	env := s.env
	env.Args, env.Out, env.Err, env.Account = args, &out, &errs, s.account(args)
	code := s.program.Run(ctx, command.New(ctx, env, s.program))
	return docStep{Command: append([]string{"toolcrib"}, args...), Exit: code, Stdout: out.String(), Stderr: errs.String()}
}

// account returns a value of Env.Account for a command with the given arguments. If the arguments contain --as with a
// user, the login of the account is the name of this user.
func (s *stage) account(args []string) func() process.Account {
	on := s.parent
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			on.Login = login
		}
	}
	return func() process.Account { return on }
}

// runAct runs the steps of act and returns their results. It returns an error if a step exits with an unexpected
// code.
func (s *stage) runAct(ctx context.Context, act act) (docAct, error) {
	played := docAct{Title: act.title, Text: act.text}
	for _, step := range act.steps {
		args := strings.Fields(step.words)
		if step.note != "" {
			args = append(args, "--note", step.note)
		}
		if step.expect != "" {
			shown := s.run(ctx, []string{"show", step.expect, "--json"})
			var doc document.Dossier
			if err := json.Unmarshal([]byte(shown.Stdout), &doc); err != nil {
				return played, fmt.Errorf("demo: show %s: %w: %s", step.expect, err, strings.TrimSpace(shown.Stderr))
			}
			args = append(args, "--expect", doc.Proposal.ReviewDigest)
		}
		done := s.run(ctx, args)
		if err := ctx.Err(); err != nil {
			return played, err
		}
		if done.Exit != step.exit {
			return played, fmt.Errorf("demo: `%s` ended with exit status %d instead of %d: %s",
				strings.Join(done.Command, " "), done.Exit, step.exit, strings.TrimSpace(done.Stderr))
		}
		played.Steps = append(played.Steps, done)
	}
	return played, nil
}

// open opens the workbench in the terminal of parent, with the database of the stage. The user of the workbench is
// mara, who makes the decisions in the demonstration.
func (s *stage) open(ctx context.Context, parent *command.App) error {
	env := s.env
	env.In, env.Out, env.Err = parent.Env.In, parent.Env.Out, parent.Env.Err
	env.InTerminal, env.OutTerminal, env.Account = true, true, s.account([]string{"--as", "user:mara"})
	env.Getenv = func(name string) string {
		switch name {
		case "VISUAL", "EDITOR", "TERM", "COLORFGBG", "NO_COLOR", "TOOLCRIB_ACCESSIBLE":
			return parent.Env.Getenv(name)
		}
		return s.getenv(name)
	}
	form := output.Format{NoColor: parent.Form.NoColor, Accessible: parent.Form.Accessible}
	a := &command.App{Program: parent.Program, Printer: &output.Printer{Env: env, Stdout: parent.Stdout, Running: parent.Running, Form: form}, Keyboard: parent.Keyboard, Flags: command.Flags{As: "user:mara"}}
	return errors.Join(workbench.Open(ctx, a, workbench.DemoPlace), a.Close())
}

// act is a group of steps of the demonstration, with a title.
type act struct {
	title string
	text  string
	steps []step
}

// step is a single command of an act.
type step struct {
	words string // arguments of the command, separated by spaces
	note  string // value of --note, or "" for none
	exit  int
	// expect is the name of a proposal whose review digest the step passes with --expect, or "".
	expect string
}

// story lists the acts of the demonstration. The user mara makes the decisions, the user ada writes, and agents
// propose. Issues are numbered in the order of submission.
var story = [...]act{
	{
		"Proposed", "A user and two agents propose changes in Markdown and JSON files. Nothing is live yet.",
		[]step{
			{words: "propose --as user:ada viewpoint_keeper.md research_notes.json search_gmail_off.md"},
			{words: "propose --as agent:drafter word_counts.json chapter_summary.md quick_file_reader.md assistant_telegram.md"},
			{words: "propose --as agent:importer set_project_comma.json style_memory.md delete_tasks_unasked.json"},
		},
	},
	{
		"Reviewed", "The Chief of Staff has reviewed each proposal: one duplicates a core tool, one would turn the agent against its author, and one adds hidden characters together with a comma.",
		[]step{
			{words: "review #8"},
			{words: "review #11"},
			{words: "diff #10"},
		},
	},
	{
		"Refused", "Only users can approve, and core tools are locked. An open blocking finding prevents the approval of its proposal and of the whole change set. An approval fails if its digest is not the digest of the content.",
		[]step{
			{words: "approve #6 --as agent:drafter", exit: command.ExitRefused},
			{words: "propose line_editor_override.md --as user:ada", exit: command.ExitRefused},
			{words: "approve #11 --as user:mara", exit: command.ExitRefused},
			{words: "approve set:research-notes --as user:mara", exit: command.ExitRefused},
			{words: "approve #1 --as user:mara --expect 0000000000000000000000000000000000000000000000000000000000000000", exit: command.ExitConflict},
		},
	},
	{
		"Decided", "Mara approves some proposals, returns two to their authors, and rejects two.",
		[]step{
			{words: "approve #1 --as user:mara", expect: "#1"},
			{words: "needs-changes #7 --as user:mara", note: "Which lines does it rest on? And what about a chapter that is not finished?"},
			{words: "revise #7 chapter_summary_revised.md --as agent:drafter"},
			{words: "revise #3 create_research_notes_revised.json --as user:ada"},
			{words: "approve #7 set:research-notes #5 #6 #9 --unseen --as user:mara", note: "Agreed on Monday."},
			{words: "reject #8 --as user:mara", note: "file_reader does this, and its strict form is the point of it."},
			{words: "reject #11 --as user:mara", note: "It reads .env, sends drafts away and hides both from the author."},
			{words: "propose style_memory.md --as agent:importer", exit: command.ExitRefused},
			{words: "needs-changes #10 --as user:mara", note: "A comma, yes. What else is in there?"},
		},
	},
	{
		"Rebased", "Two proposals change version 1. After the first approval, the other proposal is stale, and is rebased on the new version.",
		[]step{
			{words: "propose viewpoint_keeper_close_third.md --as user:ada"},
			{words: "propose viewpoint_keeper_quotes.md --as agent:drafter"},
			{words: "diff #13"},
			{words: "approve #13 --as user:mara", expect: "#13"},
			{words: "approve #14 --as user:mara", exit: command.ExitConflict},
			{words: "rebase #14 --as agent:drafter"},
			{words: "approve #14 --as user:mara", expect: "#14"},
		},
	},
	{
		"Rolled back", "Restoring an earlier version requires the same review as any other change. A core tool is not changed, but forked.",
		[]step{
			{words: "rollback tool:user/viewpoint_keeper 1 --submit --as user:mara", note: "The longer report is not read."},
			{words: "approve #15 --as user:mara"},
			{words: "history viewpoint_keeper"},
			{words: "fork line_editor --as user:ada"},
		},
	},
	{
		"Proposed later", "Two more proposals without a finding wait for Mara, who has not read them yet.",
		[]step{
			{words: "propose search_gmail_on.md --as user:ada"},
			{words: "propose chapter_summary_names.md --as agent:drafter"},
		},
	},
	{
		"Verified", "The remaining proposals, and the proof that the history was not altered.",
		[]step{
			{words: "list --state user_review"},
			{words: "verify"},
		},
	},
}
