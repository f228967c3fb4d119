package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/testdata"
)

// stage is a toolcrib of its own: a new folder with the demonstration's
// proposals, where every command runs with an environment that knows nothing
// of the user's.
type stage struct {
	dir    string
	env    Env
	parent Account // of the one who runs the demo
}

// newStage makes the folder. The caller removes it.
func newStage(parent Env, colour bool) (*stage, error) {
	dir, err := os.MkdirTemp(parent.Getenv("TMPDIR"), "toolcrib-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, parent: parent.account()}
	s.env = Env{
		In: strings.NewReader(""), Getenv: s.getenv, Dir: filepath.Join(dir, "proposals"), Now: parent.Now, NewID: parent.NewID,
		OutTerminal: colour,
	}
	if err := s.prepare(); err != nil {
		_ = s.remove() // what kept it from being made is the error to report
		return nil, err
	}
	return s, nil
}

// getenv is all of the environment that commands on the stage see.
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

func (s *stage) remove() error { return os.RemoveAll(s.dir) }

// prepare copies the proposals, and puts a configuration beside them that says
// nothing: the search for one ends there and reaches none of the user's.
func (s *stage) prepare() error {
	if err := os.Mkdir(s.env.Dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.env.Dir, configName), nil, 0o600); err != nil {
		return err
	}
	files, err := testdata.Demo.ReadDir("demo")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := testdata.Demo.ReadFile("demo/" + f.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(s.env.Dir, f.Name()), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// run runs one command as the program would.
func (s *stage) run(ctx context.Context, args []string) docStep {
	var out, errs bytes.Buffer
	env := s.env
	env.Args, env.Out, env.Err, env.Account = args, &out, &errs, s.account(args)
	code := Main(ctx, env)
	return docStep{Command: append([]string{"toolcrib"}, args...), Exit: code, Stdout: out.String(), Stderr: errs.String()}
}

// account is the account that a command of the story runs as: each user of the
// story has one.
func (s *stage) account(args []string) func() Account {
	on := s.parent
	if i := slices.Index(args, "--as"); i >= 0 && i+1 < len(args) {
		if login, ok := strings.CutPrefix(args[i+1], "user:"); ok {
			on.Login = login
		}
	}
	return func() Account { return on }
}

// play runs the steps of an act and returns what happened. It is an error when
// one of them ends otherwise than the story has it.
func (s *stage) play(ctx context.Context, act act) (docAct, error) {
	played := docAct{Title: act.title, Text: act.text}
	for _, step := range act.steps {
		args := strings.Fields(step.words)
		if step.note != "" {
			args = append(args, "--note", step.note)
		}
		if step.expect != "" {
			digest, err := s.digest(ctx, step.expect)
			if err != nil {
				return played, err
			}
			args = append(args, "--expect", digest)
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

// digest returns the review digest of a proposal.
func (s *stage) digest(ctx context.Context, ref string) (string, error) {
	looked := s.run(ctx, []string{"show", ref, "--json"})
	var doc docDossier
	if err := json.Unmarshal([]byte(looked.Stdout), &doc); err != nil {
		return "", fmt.Errorf("demo: show %s: %w: %s", ref, err, strings.TrimSpace(looked.Stderr))
	}
	return doc.Proposal.ReviewDigest, nil
}

// open shows the workbench on the stage, as the user who decides, on the
// terminal of the program that plays the story.
func (s *stage) open(ctx context.Context, parent *app) error {
	env := s.env
	env.In, env.Out, env.Err = parent.env.In, parent.env.Out, parent.env.Err
	env.InTerminal, env.OutTerminal, env.Account = true, true, s.account([]string{"--as", "user:mara"})
	env.Getenv = func(name string) string {
		switch name {
		case "VISUAL", "EDITOR", "TERM", "NO_COLOR", "TOOLCRIB_ACCESSIBLE":
			return parent.env.Getenv(name)
		}
		return s.getenv(name)
	}
	a := &app{env: env, keyboard: parent.keyboard, stdout: parent.stdout, running: parent.running, flags: globalFlags{as: "user:mara", noColor: parent.flags.noColor, accessible: parent.flags.accessible}}
	return errors.Join(a.openWorkbench(ctx, "demo"), a.close())
}
