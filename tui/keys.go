package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/auditlog"
	"toolcrib/tui/calls"
	"toolcrib/tui/drafts"
	"toolcrib/tui/entries"
	"toolcrib/tui/help"
	"toolcrib/tui/proposal"
	"toolcrib/tui/queue"
	"toolcrib/tui/subject"
)

// key is a key as it is declared, once: the footer, the help and docs/keys.md
// are read from it.
type key struct {
	name  string            // what it is rebound by
	keys  []string          // as Bubble Tea names them; the first is shown
	label string            // one or two words for the footer; "" keeps it out
	late  func(*Model) bool // whether the footer has it behind the others now; nil for never
	help  string            // what it does, as a sentence without a full stop
	picks bool              // it also acts while a line is chosen
	here  func(*Model) bool // whether the tab on the screen is its own: the footer has it there only, and first
	do    func(*Model) tea.Cmd
	off   func(*Model) string // why it has no effect now; nil or "" when it has
}

// why returns why a key is off, "" when it is on.
func (k key) why(m *Model) string {
	if k.off == nil {
		return ""
	}
	return k.off(m)
}

// table is the keys of one place.
type table struct {
	place string
	keys  []key
}

// tables lists the keys of every place, in the order they are documented in.
func tables() []table {
	return []table{
		{placeEverywhere, globalKeys()},
		moved(new(queue.Page)),
		moved(new(proposal.Page)),
		moved(new(entries.Page)),
		moved(new(subject.Page)),
		moved(new(auditlog.Page)),
		moved(new(help.Page)),
		moved(new(drafts.Page)),
		moved(new(calls.Page)),
	}
}

// placeEverywhere is the place of the keys that all pages have.
const placeEverywhere = "Everywhere"

// rebind replaces the keys of actions by name and returns the names that there
// are none of.
func rebind(ts []table, bindings map[string][]string) (unknown []string) {
	known := map[string]bool{}
	for _, t := range ts {
		for i := range t.keys {
			known[t.keys[i].name] = true
			if keys, ok := bindings[t.keys[i].name]; ok {
				t.keys[i].keys = keys
			}
		}
	}
	for name := range bindings {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// here returns the keys that act now: those of the page before those of every
// page.
func (m *Model) here() []key {
	return slices.Concat(m.table(m.page.Place()), m.table(placeEverywhere))
}

// table returns the keys of a place.
func (m *Model) table(place string) []key {
	i := slices.IndexFunc(m.tables, func(t table) bool { return t.place == place })
	return m.tables[i].keys
}

// press carries out a key by its name, or shows why it has no effect.
func (m *Model) press(name string) tea.Cmd {
	for _, k := range m.here() {
		if !slices.Contains(k.keys, name) {
			continue
		}
		if m.picking() && !k.picks {
			m.say(warning, "Choose a line first: enter comments on it, esc leaves")
			return nil
		}
		return m.run(k)
	}
	return nil
}

// run carries out a key, or shows why it has no effect.
func (m *Model) run(k key) tea.Cmd {
	if reason := k.why(m); reason != "" {
		what := keyName(k.keys[0])
		if k.name == "approve" {
			what = "Can't approve"
		}
		m.say(warning, "%s: %s", what, reason)
		return nil
	}
	return k.do(m)
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
