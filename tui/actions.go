// This file defines the keys that work on every page, and their actions.

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/keys"
	"toolcrib/tui/screen"
	"toolcrib/tui/unsent"
)

// globalKeys returns the keys that every page has.
func (m *Model) globalKeys() []screen.Key {
	all := []screen.Key{
		{Name: "help", Keys: []string{"?"}, Label: "help", WhilePicking: true, Help: "Show the keys of this page; in an assessment, also explain the selected rule", Terms: "keys, shortcuts, bindings, manual", Do: m.openHelp},
		{Name: "commands", Keys: []string{":"}, Label: "commands", Late: screen.Always, Help: "Search keys, commands, pages, and settings, or open a proposal by its number", Do: m.keys.OpenSearch},
	}
	for _, k := range pageKinds() {
		if k.key.Name == "" {
			continue
		}
		key := k.key
		key.Do = func() tea.Cmd { return m.pages.Visit(m.pages.Target(key.Name, k.next)) }
		if k.off != nil {
			key.Disabled = func() string { return k.off(&m.cfg) }
		}
		all = append(all, key)
	}
	return append(all, []screen.Key{
		{Name: "run", Keys: []string{"!"}, Help: "Run a program from [commands] in your toolcrib.toml on the selection", Terms: "shell external program", Do: m.askCommand, Disabled: m.cannotRun},
		{Name: "back", Keys: []string{"esc", "backspace"}, Label: "back", Help: "Go back, or end a search", WhilePicking: true, Do: m.pages.Back},
		m.keys.UndoKey(),
		{Name: "theme", Keys: []string{"ctrl+t"}, Help: "Switch between dark, light and high contrast", Terms: "colours, colors, dark, light, contrast, appearance", Do: func() tea.Cmd {
			m.shell.Choice.Next()
			m.retheme()
			return m.shell.Say(screen.Remark, "Theme: %s (saved)", m.shell.Choice.Name)
		}, Disabled: func() string { return unless(!m.shell.Choice.Plain, "colors are off") }},
		{Name: "mouse", Keys: []string{"m"}, Help: "Turn the mouse on or off", Do: m.switchMouse},
		{Name: "refresh", Keys: []string{"ctrl+l"}, WhilePicking: true, Help: "Reload and redraw", Terms: "reload, redraw", Do: func() tea.Cmd { return tea.Batch(tea.ClearScreen, m.pages.Reload()) }},
		{Name: "suspend", Keys: []string{"ctrl+z"}, WhilePicking: true, Help: "Suspend; fg resumes", Do: m.suspend, Disabled: m.cannotSuspend},
		{Name: "quit", Keys: []string{"q", "ctrl+c"}, Label: "quit", Late: screen.Always, WhilePicking: true, Help: "Quit after pending writes", Terms: "exit, leave, close", Do: m.quit},
	}...)
}

// offerTheme shows the key that switches the theme, if the theme may be hard to read. This is the case if no theme
// is configured and the terminal has not reported its background color. offerTheme uses the status line: a dialog
// would receive keys that the user pressed for the page before the dialog opened.
func (m *Model) offerTheme() tea.Cmd {
	choice := &m.shell.Choice
	if choice.Name != "" || choice.BackgroundKnown || m.shell.Busy() || m.shell.Message() != "" || m.cfg.Getenv("COLORFGBG") != "" {
		return nil
	}
	return m.shell.Say(screen.Remark, "Hard to read? ctrl+t switches the theme and saves it")
}

func (m *Model) switchMouse() tea.Cmd {
	m.shell.Mouse = !m.shell.Mouse
	if m.shell.Mouse {
		return m.shell.Say(screen.Remark, "Mouse on: the wheel scrolls, a click selects, a double click opens, shift+drag selects text")
	}
	return m.shell.Say(screen.Remark, "Mouse off")
}

func (m *Model) cannotSuspend() string { return unless(!m.cfg.Remote, "no shell is available here") }

// suspend stores the unsent text and returns control to the shell.
func (m *Model) suspend() tea.Cmd {
	if why := m.cannotSuspend(); why != "" { // if a dialog is open, the caller has not checked whether the key is disabled
		return m.shell.Say(screen.Warning, "ctrl+z: %s", why)
	}
	return unsent.Then(m.shell.SaveText(), tea.Suspend)
}

// quit saves the unsent text and ends the program once all running writes have ended. It saves synchronously,
// because no command runs after tea.Quit.
func (m *Model) quit() tea.Cmd {
	if keep := m.shell.SaveText(); keep != nil {
		if saved, ok := keep().(screen.Done); ok && saved.Err != nil {
			m.shell.Fail(saved.Err)
		}
	}
	saveState(m.cfg.Drafts, m.pages)
	if m.shell.Choice.Picked {
		savedState{Theme: m.shell.Choice.Name}.write(themeFolder(m.cfg.Drafts))
	}
	if m.writes.Running() == 0 {
		return tea.Quit
	}
	m.quitting = true
	return m.shell.Say(screen.Warning, "Finishing pending writes")
}

// places returns every kind of page with its keys, for the help and the documentation.
func places() []keys.Place {
	all := []keys.Place{{Name: keys.Everywhere, Keys: new(Model).globalKeys()}}
	for _, k := range pageKinds() {
		if !slices.ContainsFunc(all, func(p keys.Place) bool { return p.Name == k.zero.Place() }) {
			all = append(all, keys.Place{Name: k.zero.Place(), Keys: k.zero.Keys()})
		}
	}
	return all
}

// Rebind binds actions to other keys. bindings maps the name of an action to its keys. Rebind returns the names
// in bindings that match no action. Call it before the first frame is drawn.
func (m *Model) Rebind(bindings map[string][]string) (unknown []string) {
	return m.keys.Bind(bindings, m.globalKeys())
}
