package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/auditlog"
	"toolcrib/tui/calls"
	"toolcrib/tui/changeset"
	"toolcrib/tui/drafts"
	"toolcrib/tui/entries"
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
		new(queue.Page), new(changeset.Page), new(proposal.Page), new(entries.Page), new(subject.Page), new(auditlog.Page), new(help.Page), new(drafts.Page), new(calls.Page), new(servers.Page),
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

// press carries out a key by its name, or shows why it has no effect.
func (m *Model) press(name string) tea.Cmd {
	for _, k := range m.here() {
		if !slices.Contains(k.Keys, name) {
			continue
		}
		if m.picking() && !k.Picks {
			m.say(warning, "Choose a line first: enter comments on it, esc leaves")
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
		m.say(warning, "%s: %s", what, reason)
		return nil
	}
	return m.carry(k.Do())
}

// picking reports whether a line of a text is being chosen.
func (m *Model) picking() bool {
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
	}
	return k
}
