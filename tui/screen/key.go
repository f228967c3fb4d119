package screen

import (
	tea "charm.land/bubbletea/v2"
)

// Action is the effect of a key or a typed line: an intent for the workbench, a
// command, or both.
type Action func() (Intent, tea.Cmd)

// Key is a key as it is declared, once: the footer, the help and docs/keys.md are
// read from it.
type Key struct {
	Name  string      // what it is rebound by
	Keys  []string    // as Bubble Tea names them; the first is shown
	Label string      // one or two words for the footer; "" keeps it out
	Late  func() bool // whether the footer has it behind the others now; nil for never
	Help  string      // what it does, as a sentence without a full stop
	Picks bool        // it also acts while a line is chosen
	Here  func() bool // whether the tab on the screen is its own: the footer has it there only, and first
	Do    Action
	Off   func() string // why it has no effect now; nil or "" when it has
}

// Why returns why a key is off, "" when it is on.
func (k Key) Why() string {
	if k.Off == nil {
		return ""
	}
	return k.Off()
}

// Always has the footer show a key behind the others.
func Always() bool { return true }
