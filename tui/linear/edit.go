package linear

import (
	"errors"
	"os"
	"os/exec"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui"
	"toolcrib/tui/wording"
)

// doNew drafts a proposal in the editor: to change a live definition, or a new
// one.
func (s *session) doNew(ref string) error {
	if why := s.noEditor(); why != "" {
		return errors.New(why)
	}
	if ref == "" {
		s.out.linef("Say new and its subject, such as tool:%s/scene_pacer.", s.cfg.Layer)
		return nil
	}
	subject, err := registry.ParseSubject(ref)
	if err != nil {
		return err
	}
	live, version, err := s.live(subject)
	if err != nil {
		return err
	}
	return s.write(s.cfg.Draft(subject, live, version))
}

// noEditor returns why nothing can be edited, "" when it can.
func (s *session) noEditor() string {
	if s.cfg.Remote {
		return "the session runs on another machine; send the file with toolcrib propose - or toolcrib revise NUMBER -"
	}
	return s.cfg.NoEditor()
}

// live returns the live definition of a subject, nil for none.
func (s *session) live(subject registry.Subject) (*registry.Definition, int, error) {
	versions, err := s.cfg.Registry.Versions(s.ctx, subject, 0, 1)
	if err != nil || len(versions) == 0 {
		return nil, 0, nil //nolint:nilerr // nothing of it is live
	}
	body, err := s.cfg.Registry.Definition(s.ctx, subject)
	if err != nil {
		return nil, 0, err
	}
	d, err := registry.DecodeDefinition(subject.Kind, body)
	return &d, versions[0].Number, err
}

// doRevise writes the next revision of the open proposal in the editor.
func (s *session) doRevise(string) error {
	why := s.can(proposals.ActRevise)
	if why == "" {
		why = s.noEditor()
	}
	if why != "" {
		return errors.New(why)
	}
	return s.write(s.cfg.Revision(*s.open))
}

// write opens a manuscript in the editor until it is sent, or left for later.
func (s *session) write(w tui.Manuscript) error {
	for {
		text, err := s.edit(w)
		if err != nil {
			return err
		}
		if w.Unchanged(text) {
			s.out.line("No changes.")
			return os.Remove(w.File)
		}
		draft, problems := w.Parse(text)
		if len(problems) == 0 {
			s.out.line("No problems found.")
		} else {
			s.out.linef("Cannot submit it yet: %s.", wording.Count(len(problems), "problem", "problems"))
			s.pages(problems)
		}
		switch s.askWhat(w, draft, len(problems) == 0) {
		case "e":
		case "y":
			return s.send(w, *draft, true)
		case "d":
			return s.send(w, *draft, false)
		default:
			s.out.linef("Nothing was sent. The draft is in %s.", w.File)
			return nil
		}
	}
}

// edit gives the terminal to the editor and returns what it wrote.
func (s *session) edit(w tui.Manuscript) ([]byte, error) {
	run, err := s.cfg.Prepare(w)
	if err != nil {
		return nil, err
	}
	s.out.linef("The editor opens %s.", w.File)
	if err := s.give(run); err != nil {
		return nil, errors.Join(errors.New("the editor failed; the draft is in "+w.File), err)
	}
	return os.ReadFile(w.File)
}

// give runs a command with the terminal, where there is one.
func (s *session) give(run *exec.Cmd) error {
	if in, ok := s.cfg.Keyboard.(*os.File); ok {
		run.Stdin = in
	}
	if out, ok := s.cfg.Screen.(*os.File); ok {
		run.Stdout, run.Stderr = out, out
	}
	return run.Run()
}

// askWhat asks what to do with a text; "" for nothing.
func (s *session) askWhat(w tui.Manuscript, draft *proposals.Draft, whole bool) string {
	can := []string{"e"}
	say := []string{"e to edit it again"}
	if draft != nil && w.ID == "" {
		can, say = append(can, "d"), append(say, "d to save it as a draft")
	}
	if draft != nil && whole {
		can, say = append(can, "y"), append(say, "y to submit it")
	}
	answer, ok := s.ask("Type " + strings.Join(say, ", ") + "; anything else cancels: ")
	for _, c := range can {
		if ok && answer == c {
			return c
		}
	}
	return ""
}

// send proposes the edited text, or revises with it, and opens the proposal.
func (s *session) send(w tui.Manuscript, draft proposals.Draft, submit bool) error {
	p, done, err := s.cfg.Send(s.ctx, w, draft, submit)
	switch {
	case err != nil && w.File != "":
		s.out.linef("The draft is in %s.", w.File)
		return err
	case err != nil:
		return err
	case w.File != "":
		err = os.Remove(w.File)
	}
	if err := errors.Join(err, s.show(p.ID)); err != nil {
		return err
	}
	return s.said(done, nil)
}
