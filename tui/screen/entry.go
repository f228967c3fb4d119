package screen

import (
	tea "charm.land/bubbletea/v2"

	"toolcrib/registry"
)

// Entry is a live definition as the registry pages list it.
type Entry struct {
	Subject  registry.Subject
	Version  int
	Name     string
	ToolKind string
	Category string
	Tier     string
	Approval string
	Status   registry.Status
	Source   string // the server or the file it was imported from
	Locked   bool
	Hides    []registry.Subject
}

// EntryKeys act on a definition that is live: selected returns the one, and change
// proposes a change to it in the editor, where noEditor returns "".
func EntryKeys(selected func() (Entry, bool), change Action, noEditor func() string) []Key {
	off := func(locked bool, why string, then func() string) func() string {
		return func() string {
			switch e, ok := selected(); {
			case !ok:
				return "select a definition; enter folds or unfolds a group"
			case e.Locked == locked:
				return why
			}
			return then()
		}
	}
	fork := func() (Intent, tea.Cmd) {
		e, _ := selected()
		return Fork{e.Subject.ID}, nil
	}
	return []Key{
		{Name: "fork", Keys: []string{"f"}, Label: "fork", Help: "Draft a tool of your own from a core tool", Do: fork, Off: off(false, "not a core tool; e proposes a change", func() string { return "" })},
		{Name: "change", Keys: []string{"e"}, Label: "change", Help: "Propose a change to it in the editor", Do: change, Off: off(true, "Locked (core); f drafts your own tool from it", noEditor)},
	}
}

// NewKey drafts a new proposal.
func NewKey(noEditor func() string) Key {
	draft := func() (Intent, tea.Cmd) { return New{}, nil }
	return Key{Name: "new", Keys: []string{"ctrl+n"}, Label: "new", Late: Always, Help: "Draft a new proposal in the editor", Do: draft, Off: noEditor}
}
