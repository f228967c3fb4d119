package screentest

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/tui/editor"
	"toolcrib/tui/screen"
)

// Shell records the requests of pages. For input lines, dialogs, writes, and status messages, it records the
// value that the page passes. Every other request is recorded as a Call.
type Shell struct{ asked []any }

// Call is a recorded request. It consists of the name of the method and its first argument.
type Call struct {
	To string
	Of any
}

// Requests returns the requests that sh has recorded since the previous call of Requests.
func Requests(sh screen.Shell) []any {
	s := sh.(*Shell)
	asked := s.asked
	s.asked = nil
	return asked
}

func (s *Shell) note(request any) tea.Cmd {
	s.asked = append(s.asked, request)
	return nil
}

// Say implements screen.Shell, like the methods below.
func (s *Shell) Say(tone screen.Tone, format string, args ...any) tea.Cmd {
	return s.note(screen.Sayf(tone, format, args...))
}

func (s *Shell) Fail(err error) tea.Cmd            { return s.note(screen.Fail(err)) }
func (s *Shell) OpenLine(l *screen.Line) tea.Cmd   { return s.note(l) }
func (s *Shell) Ask(d screen.Dialog) tea.Cmd       { return s.note(d) }
func (s *Shell) Write(w screen.Write) tea.Cmd      { return s.note(w) }
func (s *Shell) Divide(by screen.Division) tea.Cmd { return s.note(by) }

// Open implements the shells of pages, like the methods below.
func (s *Shell) Open(p proposals.Proposal, _ bool) tea.Cmd { return s.note(Call{"Open", p.ID}) }

func (s *Shell) OpenNumber(number string) tea.Cmd        { return s.note(Call{"OpenNumber", number}) }
func (s *Shell) OpenSearch() tea.Cmd                     { return s.note(Call{"Find", nil}) }
func (s *Shell) OpenSet(p proposals.Proposal) tea.Cmd    { return s.note(Call{"OpenSet", p.ID}) }
func (s *Shell) OpenUnseen(p proposals.Proposal) tea.Cmd { return s.note(Call{"OpenUnseen", p.ID}) }

func (s *Shell) OpenWaiting() tea.Cmd               { return s.note(Call{To: "OpenWaiting"}) }
func (s *Shell) OpenEntry(o screen.Opening) tea.Cmd { return s.note(o) }
func (s *Shell) Mark(p proposals.Proposal) tea.Cmd  { return s.note(Call{"Mark", p.ID}) }
func (s *Shell) Fork(id string) tea.Cmd             { return s.note(Call{"Fork", id}) }
func (s *Shell) DraftNew() tea.Cmd                  { return s.note(Call{To: "DraftNew"}) }
func (s *Shell) Edit(w editor.Manuscript) tea.Cmd   { return s.note(w) }
func (s *Shell) Resume(r screen.Resume) tea.Cmd     { return s.note(r) }
func (s *Shell) ToQueue() tea.Cmd                   { return s.note(Call{To: "ToQueue"}) }
func (s *Shell) FilterQueue(filter string) tea.Cmd  { return s.note(Call{"Narrow", filter}) }

// Decide records the given proposals.
func (s *Shell) Decide(_ proposals.Act, ps []proposals.Proposal) tea.Cmd { return s.note(ps) }

// EditLive records the given definition.
func (s *Shell) EditLive(_ registry.Subject, d registry.Definition, _ int, _ string) tea.Cmd {
	return s.note(d)
}

// Drop records the name of the text, and returns cmd.
func (s *Shell) Drop(draft string, cmd tea.Cmd) tea.Cmd {
	s.note(Call{"Drop", draft})
	return cmd
}
