package tui

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/wording"
)

// Command is a program from the user's configuration, which the ! key runs on the selection. The placeholders
// {number}, {id}, and {subject} in its arguments are replaced by the values of the selected proposal.
type Command struct {
	Name string
	Args []string // the program first
}

// selection returns pairs of placeholder and value for the selection, or nil if nothing is selected.
func (m *Model) selection() []string {
	switch on := m.pages.On().(type) {
	case screen.OfProposal:
		if p, ok := on.Current(); ok {
			return []string{"{number}", strings.TrimPrefix(wording.Reference(p), "#"), "{id}", string(p.ID), "{subject}", p.Subject.String()}
		}
	case screen.OfEntry:
		if e, ok := on.Selected(); ok {
			return []string{"{subject}", e.Subject.String()}
		}
	}
	return nil
}

func (m *Model) cannotRun() string {
	switch {
	case m.cfg.Remote:
		return "programs cannot be run here"
	case len(m.cfg.Commands) == 0:
		return "your toolcrib.toml has no [commands]"
	case m.selection() == nil:
		return "nothing is selected"
	}
	return ""
}

// askCommand runs the configured command on the selection. If several are configured, it asks which one.
func (m *Model) askCommand() tea.Cmd {
	values := m.selection()
	if len(m.cfg.Commands) == 1 {
		return m.run(m.cfg.Commands[0], values)
	}
	d := screen.Dialog{Form: proposals.Form{Title: "Run a command"}, Content: func(page *prose.Page) {
		for i, c := range m.cfg.Commands {
			page.Item(draw.Of(m.shell.Frame().Theme.Key, draw.Showf("%d  ", i+1)), c.Name+": "+strings.Join(c.Args, " "))
		}
	}}
	for i, c := range m.cfg.Commands {
		d.Keys = append(d.Keys, screen.Key{Keys: []string{strconv.Itoa(i + 1)}, Label: c.Name, Do: func() tea.Cmd {
			m.shell.CloseDialog()
			return m.run(c, values)
		}})
	}
	return m.shell.Ask(d)
}

// run hands the terminal to a command and waits for enter after its output. Values only replace placeholders in
// arguments: no shell parses them, and they cannot name the program.
func (m *Model) run(c Command, values []string) tea.Cmd {
	args := make([]string, len(c.Args)-1)
	for i, arg := range c.Args[1:] {
		args[i] = strings.NewReplacer(values...).Replace(arg)
		if len(values) == 2 && (strings.Contains(arg, "{number}") || strings.Contains(arg, "{id}")) {
			return m.shell.Say(screen.Warning, "%s needs a proposal; select one in the queue", c.Name)
		}
	}
	give := m.cfg.Exec
	if give == nil {
		give = tea.ExecProcess
	}
	const waiting = `"$@"; status=$?; printf '\n[enter returns to toolcrib] '; read -r _; exit $status`
	return give(exec.Command("sh", append([]string{"-c", waiting, "sh", c.Args[0]}, args...)...), func(err error) tea.Msg { //nolint:noctx // the user ends it
		if err != nil {
			return screen.Done{Err: fmt.Errorf("%s failed: %w", c.Name, err)}
		}
		return screen.Then{Do: func() tea.Cmd { return tea.Batch(m.shell.Say(screen.Success, "%s ended", c.Name), m.pages.Reload()) }}
	})
}
