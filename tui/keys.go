package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/auditlog"
	"toolcrib/tui/calls"
	"toolcrib/tui/changeset"
	"toolcrib/tui/drafts"
	"toolcrib/tui/entries"
	"toolcrib/tui/files"
	"toolcrib/tui/help"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/screen"
	"toolcrib/tui/servers"
	"toolcrib/tui/subject"
)

// table is the keys of one place.
type table struct {
	place string
	keys  []screen.Key
}

// tables lists the keys of every place, in the order they are documented in. They
// are there to be read, not to be pressed.
func tables() []table {
	all := []table{{placeEverywhere, new(Model).globalKeys()}}
	for _, p := range []screen.Page{
		new(queue.Page), new(changeset.Page), new(proposal.Page), new(entries.Page), new(subject.Page), new(auditlog.Page), new(help.Page), new(drafts.Page), new(calls.Page), new(servers.Page), new(files.Page),
	} {
		all = append(all, table{p.Place(), p.Keys()})
	}
	return all
}

// placeEverywhere is the place of the keys that all pages have.
const placeEverywhere = "Everywhere"

// Rebind replaces keys by the names of their actions and returns the names
// that there are none of. It is called before anything is drawn.
func (m *Model) Rebind(bindings map[string][]string) (unknown []string) {
	m.bindings = bindings
	m.global = m.bound(m.globalKeys())
	for name := range bindings {
		if !slices.ContainsFunc(tables(), func(t table) bool {
			return slices.ContainsFunc(t.keys, func(k screen.Key) bool { return k.Name == name })
		}) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// bound returns keys as the user has bound them.
func (m *Model) bound(keys []screen.Key) []screen.Key {
	for i, k := range keys {
		if names, ok := m.bindings[k.Name]; ok {
			keys[i].Keys = names
		}
	}
	return keys
}

// here returns the keys that act now: those of the page before those of every
// page.
func (m *Model) here() []screen.Key { return slices.Concat(m.keysOf(m.page), m.global) }

// press carries out a key, or shows why it has no effect. just is set right after
// something was done that can be taken back.
func (m *Model) press(msg tea.KeyPressMsg, just bool) tea.Cmd {
	keys := m.here()
	if !m.picking() && m.last.takes(keys, msg, just) {
		return m.last.undo.Ask(m.host, m.frame())
	}
	for _, k := range keys {
		if !k.Matches(msg) {
			continue
		}
		if m.picking() && !k.Picks {
			m.Say(warning, "Choose a line first: enter comments on it, esc leaves")
			return nil
		}
		return m.run(k)
	}
	return nil
}

// run carries out a key, or shows why it has no effect.
func (m *Model) run(k screen.Key) tea.Cmd {
	if reason := k.Why(); reason != "" {
		what := keyName(k.Keys[0])
		if k.Name == "approve" {
			what = "Can't approve"
		}
		m.Say(warning, "%s: %s", what, reason)
		return nil
	}
	return k.Do()
}

// picking reports whether a line of a text is being chosen.
func (m *pages) picking() bool {
	p := m.page.Shown()
	if p == nil {
		return false
	}
	_, picking := p.Picked()
	return picking
}

// keyName writes a key as people do.
func keyName(k string) string {
	switch k {
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "left":
		return "←"
	case "right":
		return "→"
	case "pgdown":
		return "page down"
	case "pgup":
		return "page up"
	case "shift+down":
		return "shift+↓"
	case "shift+up":
		return "shift+↑"
	}
	return k
}

// globalKeys are the keys that all pages have.
func (m *Model) globalKeys() []screen.Key {
	return []screen.Key{
		{Name: "help", Keys: []string{"?"}, Label: "help", Picks: true, Help: "Show the keys for this page; in an assessment, also explain the rule; / there searches like :", Do: m.openHelp},
		{Name: "commands", Keys: []string{":"}, Label: "commands", Late: screen.Always, Help: "Search keys, commands, pages and settings and go there, or open a proposal by its number", Do: m.find},
		{Name: "queue", Keys: []string{"Q"}, Help: "Go to the queue", Do: m.goTo(func() *page { return m.queue })},
		{Name: "registry", Keys: []string{"T"}, Help: "Go to the tools; again: to the skills and instruction files", Do: m.goTo(m.toolsOrFiles)},
		{Name: "agents", Keys: []string{"A"}, Help: "Go to the agents; again: to the allow-lists", Do: m.goTo(m.agentsOrLists)},
		{Name: "log", Keys: []string{"L"}, Help: "Go to the audit log", Do: m.goTo(func() *page { return m.log })},
		{Name: "drafts", Keys: []string{"D"}, Help: "Show unsent drafts", Do: m.goTo(func() *page { return m.drafts }), Off: m.noDrafts},
		{Name: "calls", Keys: []string{"P"}, Help: "Show the calls that wait for you", Do: m.goTo(func() *page { return m.calls }), Off: m.noCalls},
		{Name: "servers", Keys: []string{"H"}, Help: "Show which MCP servers of your clients are guarded", Do: m.goTo(func() *page { return m.servers }), Off: m.noServers},
		{Name: "verify", Keys: []string{"V"}, Help: "Verify every hash chain; esc cancels", Do: m.verify, Off: m.cannotVerify},
		{Name: "import", Keys: []string{"I"}, Help: "Import tools from a file as proposals; esc cancels", Do: m.askImport, Off: m.cannotImport},
		{Name: "back", Keys: []string{"esc", "backspace"}, Label: "back", Help: "Go back, or end a search", Picks: true, Do: m.back},
		{Name: "take-back", Keys: []string{"U"}, Help: "Take back the last decision or waiver: propose again, roll back, end the waiver", Do: func() tea.Cmd { return m.last.undo.Ask(m.host, m.frame()) }, Off: m.last.none},
		{Name: "theme", Keys: []string{"ctrl+t"}, Help: "Switch between dark, light, high contrast and your own colours", Do: m.switchTheme, Off: m.cannotTheme},
		{Name: "mouse", Keys: []string{"m"}, Help: "Turn the mouse on or off", Do: m.switchMouse},
		{Name: "refresh", Keys: []string{"ctrl+l"}, Picks: true, Help: "Reload and redraw", Do: m.refreshAll},
		{Name: "suspend", Keys: []string{"ctrl+z"}, Picks: true, Help: "Suspend; fg resumes", Do: m.suspend, Off: m.cannotSuspend},
		{Name: "quit", Keys: []string{"q", "ctrl+c"}, Label: "quit", Late: screen.Always, Picks: true, Help: "Quit after pending writes", Do: m.quit},
	}
}

// toolsOrFiles switches between tools and files.
func (m *pages) toolsOrFiles() *page {
	if m.page == m.tools && m.cfg.Files != nil {
		return m.files
	}
	return m.tools
}

// agentsOrLists switches between agents and allow-lists.
func (m *pages) agentsOrLists() *page {
	if m.page == m.agents {
		return m.lists
	}
	return m.agents
}

// suspend stops for the shell. What is being typed is kept first.
func (m *Model) suspend() tea.Cmd {
	if why := m.cannotSuspend(); why != "" { // in a dialog, no table is asked
		m.Say(warning, "ctrl+z: %s", why)
		return nil
	}
	if m.dialog != nil {
		return then(m.saveDraft(m.dialog), tea.Suspend)
	}
	return tea.Suspend
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
				m.Fail(saved.Err)
			}
		}
	}
	m.remember()
	if m.running == 0 {
		return tea.Quit
	}
	m.quitting = true
	if m.job != nil && !m.job.done {
		m.job.cancel()
	}
	m.Say(warning, "Finishing pending writes")
	return nil
}
