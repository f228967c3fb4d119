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
	Late         func() bool // reports whether the footer now shows the key after other keys; nil means never
	Help         string      // effect, as a sentence without a period
	Terms        string      // synonyms that the search also matches
	WhilePicking bool        // the key also works while the user picks a line
	OnTab        func() bool // reports whether the key belongs to the current tab and comes first in the footer; nil for keys of all tabs
	Do           func() tea.Cmd
	Disabled     func() string // returns why the key is disabled, or ""; nil if the key is always enabled
}

// Matches reports whether pressed is one of the keys of the action.
func (k Key) Matches(pressed tea.KeyPressMsg) bool {
	return key.Matches(pressed, key.NewBinding(key.WithKeys(k.Keys...)))
}

// WhyDisabled returns why the key is disabled, or "" if it is enabled.
func (k Key) WhyDisabled() string {
	if k.Disabled == nil {
		return ""
	}
	return k.Disabled()
}

// Names returns the display names of the keys, separated by spaces.
func (k Key) Names() string {
	names := lists.Map(k.Keys, KeyName)
	return strings.Join(names, " ")
}

// CopyKey returns the key that copies the reference of a proposal or a change set, which the function reference
// returns. Pressed a second time, the key copies the shell command that shows the proposal or the set.
func CopyKey(sh Messenger, reference, off func() string) Key {
	copied := ""
	return Key{Name: "copy-id", Keys: []string{"y"}, Help: "Copy its number, or the name of the set; again: the command that shows it", Disabled: off, Do: func() tea.Cmd {
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

// Hint draws the key k and its label for the footer. A click on the hint presses the key.
func Hint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Escape(KeyName(k))).Add(text, " "+draw.Escape(label)+"  ").WithClick("key " + k)
}

// Loading is the reason why a key is disabled while the page is loading.
const Loading = "it is still loading"

// Always returns true. As Key.Late, it makes the footer always show the key after other keys.
func Always() bool { return true }
