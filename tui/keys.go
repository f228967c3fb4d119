package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// key is a key as it is declared, once: the footer, the help and docs/keys.md
// are read from it.
type key struct {
	name  string            // what it is rebound by
	keys  []string          // as Bubble Tea names them; the first is shown
	label string            // one or two words for the footer; "" keeps it out
	late  func(*Model) bool // whether the footer has it behind the others now; nil for never
	help  string            // what it does, as a sentence without a full stop
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
		{placeQueue, queueKeys()},
		{placeProposal, proposalKeys()},
		{placeRegistry, registryKeys()},
		{placeSubject, subjectKeys()},
		{placeLog, logKeys()},
		{placeHelp, helpKeys()},
		{placeDrafts, draftsKeys()},
		{placeCalls, callsKeys()},
	}
}

// The places that keys belong to.
const (
	placeEverywhere = "Everywhere"
	placeQueue      = "Queue"
	placeProposal   = "Proposal"
	placeRegistry   = "Registry and agents"
	placeSubject    = "A tool or an agent"
	placeLog        = "Audit log"
	placeHelp       = "Help"
	placeDrafts     = "Unsent drafts"
	placeCalls      = "Calls"
)

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
	var own, everywhere []key
	for _, t := range m.tables {
		switch t.place {
		case m.page.place():
			own = t.keys
		case placeEverywhere:
			everywhere = t.keys
		}
	}
	return append(own[:len(own):len(own)], everywhere...)
}

// press does what a key is declared to do here, or says why it does not.
func (m *Model) press(name string) tea.Cmd {
	for _, k := range m.here() {
		if !slices.Contains(k.keys, name) {
			continue
		}
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
	return nil
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
