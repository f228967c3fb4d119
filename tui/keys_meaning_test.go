package tui

import "testing"

// meanings are the keys that are bound to several actions, with the common meaning of these.
var meanings = map[string]string{
	"enter": "open", "right": "go in", "l": "go in", "/": "find", "tab": "next tab", "shift+tab": "previous tab",
	"]": "next text", "[": "previous text", "a": "approve", "x": "refuse", "c": "send back", "b": "compare from here",
	"J": "further down", "K": "further up", "F": "fold", "E": "all of it", "U": "go back to what was", "u": "unread", "e": "edit", "space": "go on", "+": "mark",
	"j": "down", "down": "down", "k": "up", "up": "up", "g": "beginning", "home": "beginning", "G": "end", "end": "end",
	"ctrl+d": "down", "ctrl+u": "up", "pgdown": "down", "ctrl+f": "down", "pgup": "up", "ctrl+b": "up",
}

// TestOneMeaningForEachKey compares the keys of all pages with each other (T2, T14).
func TestOneMeaningForEachKey(t *testing.T) {
	names := map[string]string{}
	for _, table := range places() {
		own := map[string]string{}
		for _, k := range table.Keys {
			for _, name := range k.Keys {
				if own[name] != "" {
					t.Errorf("%s: %s is %s and %s", table.Name, name, own[name], k.Name)
				}
				own[name] = k.Name
				if before := names[name]; before != "" && before != k.Name && meanings[name] == "" {
					t.Errorf("%s is %s, and elsewhere %s", name, k.Name, before)
				}
				names[name] = k.Name
			}
		}
	}
	for _, k := range places()[0].Keys {
		for _, table := range places()[1:] {
			for _, own := range table.Keys {
				for _, name := range own.Keys {
					if name == k.Keys[0] && k.Name != "take-back" { // a page's own undo takes precedence
						t.Errorf("%s of %s hides %s", name, table.Name, k.Name)
					}
				}
			}
		}
	}
}
