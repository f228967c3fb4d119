// This file defines keys and their names.

package screen

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Key declares a key and its action. The footer, the help, and docs/keys.md are generated from these
// declarations.
type Key struct {
	Name         string      // name of the action in the configuration
	Keys         []string    // in Bubble Tea's notation; the footer shows the first
	Label        string      // one or two words for the footer; if "", the footer omits the key
	UndoLabel    string      // replaces Label while Undoes returns true
	Undoes       func() bool // reports whether the key undoes its effect, for example unfolds; nil means no
	Late         func() bool // reports whether the footer shows the key after the other keys; nil means no
	Help         string      // effect of the key, as a sentence without a period
	Terms        string      // synonyms for the search
	WhilePicking bool        // the key also works while the user picks a line
	OnTab        func() bool // reports whether the key belongs to the current tab and is shown first in the footer; nil if the key belongs to all tabs
	Do           func() tea.Cmd
	Disabled     func() string // returns why the key is disabled, or ""; nil if the key is always enabled
}

// Matches reports whether pressed is a key of the action.
func (k Key) Matches(pressed tea.KeyPressMsg) bool {
	return key.Matches(pressed, key.NewBinding(key.WithKeys(k.Keys...)))
}

// WhyDisabled returns the reason why the key is disabled, or "" if it is enabled.
func (k Key) WhyDisabled() string {
	if k.Disabled == nil {
		return ""
	}
	return k.Disabled()
}

// Names returns the display names of the keys, separated by commas.
func (k Key) Names() string {
	names := lists.Map(k.Keys, KeyName)
	return strings.Join(names, ", ")
}

// CopyKey returns the key that copies the name of a proposal or a change set to the clipboard. reference
// returns this name. If the user presses the key again, it copies the shell command that shows the proposal or
// the change set.
func CopyKey(sh Messenger, reference, off func() string) Key {
	copied := ""
	return Key{Name: "copy-id", Keys: []string{"y"}, Help: "Copy the proposal's number or the set's name; if pressed again, copy the command that shows the proposal or the set", Disabled: off, Do: func() tea.Cmd {
		text := reference()
		if text == copied {
			text = strings.TrimPrefix(text, "#")
			if strings.ContainsFunc(text, func(r rune) bool {
				return r != ':' && r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
			}) {
				text = "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
			}
			text = "toolcrib show " + text
		}
		copied = text
		return tea.Batch(sh.Say(Success, "Copied %s", text), tea.SetClipboard(text))
	}}
}

// KeyName returns the display name of k, a key in Bubble Tea's notation.
func KeyName(k string) string {
	if name, ok := keyNames[k]; ok {
		return name
	}
	return k
}

var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "page down", "pgup": "page up", "shift+down": "shift+↓", "shift+up": "shift+↑",
}

// hintGap is the number of blanks at the end of a hint.
const hintGap = 2

// Hint draws the key k and its label for the footer. Clicking the hint has the same effect as pressing the key.
func Hint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Escape(KeyName(k))).Add(text, " "+draw.Escape(label)+draw.Safe(draw.Blank(hintGap))).WithClick("key " + k)
}

// Loading is the reason why a key is disabled until the page has loaded.
const Loading = "the page is still loading"

// Always returns true. It is the value of Key.Late for a key that the footer always shows after the other keys.
func Always() bool { return true }
