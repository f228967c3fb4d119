package screen

import (
	"strings"
	"unicode"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
)

// Key is the declaration of a key. The footer, the help and docs/keys.md are made from it.
type Key struct {
	Name  string      // name of the action in the configuration
	Keys  []string    // as Bubble Tea names them; the first is shown
	Label string      // one or two words for the footer; "" keeps it out
	Late  func() bool // whether the footer shows it after the others now; nil for never
	Help  string      // what it does, as a sentence without a full stop
	Terms string      // other words for it, for the search
	Picks bool        // it also acts while a line is chosen
	Here  func() bool // whether it belongs to the tab on the screen, where the footer shows it first; nil for any tab
	Do    func() tea.Cmd
	Off   func() string // why it is disabled now, "" if it is not; nil for never
}

// Matches reports whether it is the key that was pressed.
func (k Key) Matches(pressed tea.KeyPressMsg) bool {
	return key.Matches(pressed, key.NewBinding(key.WithKeys(k.Keys...)))
}

// Why returns why a key is off, "" when it is on.
func (k Key) Why() string {
	if k.Off == nil {
		return ""
	}
	return k.Off()
}

// Names lists the keys of an action.
func (k Key) Names() string {
	names := make([]string, len(k.Keys))
	for i, n := range k.Keys {
		names[i] = KeyName(n)
	}
	return strings.Join(names, " ")
}

// CopyKey copies the reference of a proposal or a change set, and when it is pressed again the
// command that shows it.
func CopyKey(sh Messenger, reference, off func() string) Key {
	copied := ""
	return Key{Name: "copy-id", Keys: []string{"y"}, Help: "Copy its number, or the name of the set; again: the command that shows it", Off: off, Do: func() tea.Cmd {
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

// KeyName returns the name of a key for people.
func KeyName(k string) string {
	if name, ok := keyNames[k]; ok {
		return name
	}
	return k
}

var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "page down", "pgup": "page up", "shift+down": "shift+↓", "shift+up": "shift+↑",
}

// Hint draws a key with what it does, for the last line of the screen.
func Hint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Show(KeyName(k))).Add(text, " "+draw.Show(label)+"  ").Clicked("key " + k)
}

// Loading is the reason of a key that is disabled while its page is loading.
const Loading = "it is still loading"

// Always makes the footer show a key after the others.
func Always() bool { return true }
