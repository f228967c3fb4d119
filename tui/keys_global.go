package tui

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/screen"
)

func globalKeys() []key {
	return []key{
		{name: "help", keys: []string{"?"}, label: "help", picks: true, help: "Show the keys for this page; in an assessment, also explain the rule", do: (*Model).openHelp},
		{name: "commands", keys: []string{":"}, label: "commands", late: always, help: "Find a command by its name and run it, or open a proposal by its number", do: (*Model).askCommand},
		{name: "queue", keys: []string{"Q"}, help: "Go to the queue", do: goTo(func(m *Model) *page { return m.queue })},
		{name: "registry", keys: []string{"T"}, help: "Go to the tools", do: goTo(func(m *Model) *page { return m.tools })},
		{name: "agents", keys: []string{"A"}, help: "Go to the agents; again: to the allow-lists", do: goTo(agentsOrLists)},
		{name: "log", keys: []string{"L"}, help: "Go to the audit log", do: goTo(func(m *Model) *page { return m.log })},
		{name: "drafts", keys: []string{"D"}, help: "Show unsent drafts", do: goTo(func(m *Model) *page { return m.drafts }), off: (*Model).noDrafts},
		{name: "calls", keys: []string{"P"}, help: "Show the calls that wait for you", do: goTo(func(m *Model) *page { return m.calls }), off: (*Model).noCalls},
		{name: "verify", keys: []string{"V"}, help: "Verify every hash chain; esc cancels", do: (*Model).verify, off: (*Model).cannotVerify},
		{name: "import", keys: []string{"I"}, help: "Import tools from a file as proposals; esc cancels", do: (*Model).askImport, off: (*Model).cannotImport},
		{name: "back", keys: []string{"esc", "backspace"}, label: "back", help: "Go back, or end a search", picks: true, do: (*Model).back},
		{name: "theme", keys: []string{"ctrl+t"}, help: "Switch between light and dark", do: (*Model).switchTheme, off: (*Model).cannotTheme},
		{name: "mouse", keys: []string{"m"}, help: "Turn the mouse on or off", do: (*Model).switchMouse},
		{name: "refresh", keys: []string{"ctrl+l"}, picks: true, help: "Reload and redraw", do: (*Model).refreshAll},
		{name: "suspend", keys: []string{"ctrl+z"}, picks: true, help: "Suspend; fg resumes", do: (*Model).suspend, off: (*Model).cannotSuspend},
		{name: "quit", keys: []string{"q", "ctrl+c"}, label: "quit", late: always, picks: true, help: "Quit after pending writes", do: (*Model).quit},
	}
}

// agentsOrLists switches between agents and allow-lists.
func agentsOrLists(m *Model) *page {
	if m.page == m.agents {
		return m.lists
	}
	return m.agents
}

// suspend stops for the shell. What is being typed is kept first.
func (m *Model) suspend() tea.Cmd {
	if why := m.cannotSuspend(); why != "" { // in a dialog, no table is asked
		m.say(warning, "ctrl+z: %s", why)
		return nil
	}
	if m.dialog != nil {
		return then(m.saveDraft(m.dialog), tea.Suspend)
	}
	return tea.Suspend
}

func (m *Model) cannotSuspend() string {
	if m.cfg.Remote {
		return "there is no shell here"
	}
	return ""
}

func (m *Model) noCalls() string {
	if m.cfg.Calls == nil {
		return "no gateway is available"
	}
	return ""
}

func (m *Model) noDrafts() string {
	if m.cfg.Drafts == "" {
		return "no folder for drafts is available"
	}
	return ""
}

func (m *Model) cannotTheme() string {
	if m.cfg.Plain {
		return "colours are off"
	}
	return ""
}

func (m *Model) switchMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.say(remark, "Mouse on: the wheel scrolls, a click selects, shift+drag selects text")
	} else {
		m.say(remark, "Mouse off")
	}
	return nil
}

// Leave is a message that ends the workbench at once: a write that is on its
// way is cancelled, and answered before the workbench is left.
type Leave struct{}

// quit leaves when every write that is on its way has been answered. What is
// being typed is kept at once, as nothing comes after this.
func (m *Model) quit() tea.Cmd {
	if m.dialog != nil {
		if keep := m.saveDraft(m.dialog); keep != nil {
			if saved, ok := keep().(screen.Done); ok && saved.Err != nil {
				m.fail(saved.Err)
			}
		}
	}
	if m.writes == 0 {
		return tea.Quit
	}
	m.quitting = true
	if m.job != nil && !m.job.done {
		m.job.cancel()
	}
	m.say(remark, "Finishing pending writes")
	return nil
}
