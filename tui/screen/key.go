// This file declares keys.

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

// Key declares a key. The footer, the help, and docs/keys.md are generated from the declarations.
type Key struct {
	Name         string      // name of the action in the configuration
	Keys         []string    // in Bubble Tea's notation; the first is shown
	Label        string      // one or two words for the footer; "" omits the key there
	Late         func() bool // whether the footer now shows the key after the others; nil for never
	Help         string      // effect, as a sentence without a full stop
	Terms        string      // synonyms, for the search
	WhilePicking bool        // also active while a line is being picked
	OnTab        func() bool // whether the key belongs to the current tab, which puts it first in the footer; nil for every tab
	Do           func() tea.Cmd
	Disabled     func() string // why the key is disabled, or ""; nil if it is always enabled
}

// Matches reports whether the key was pressed.
func (k Key) Matches(pressed tea.KeyPressMsg) bool {
	return key.Matches(pressed, key.NewBinding(key.WithKeys(k.Keys...)))
}

// WhyDisabled returns why the key is disabled, or "".
func (k Key) WhyDisabled() string {
	if k.Disabled == nil {
		return ""
	}
	return k.Disabled()
}

// Names returns the keys of the action, separated by spaces.
func (k Key) Names() string {
	names := lists.Map(k.Keys, KeyName)
	return strings.Join(names, " ")
}

// CopyKey returns the key that copies the reference of a proposal or a change set. Pressed again, it copies the
// command that shows the subject.
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

// KeyName returns the display name of a key.
func KeyName(k string) string {
	if name, ok := keyNames[k]; ok {
		return name
	}
	return k
}

var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "page down", "pgup": "page up", "shift+down": "shift+↓", "shift+up": "shift+↑",
}

// Hint draws a key and its label for the footer.
func Hint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Escape(KeyName(k))).Add(text, " "+draw.Escape(label)+"  ").WithClick("key " + k)
}

// Loading is the reason why a key is disabled while its page is loading.
const Loading = "it is still loading"

// Always makes the footer show a key after the others.
func Always() bool { return true }
