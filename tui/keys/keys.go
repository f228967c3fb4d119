// Package keys carries out the keys of the workbench, those of the page on the screen before
// those of all pages. It searches all keys, and shows the important ones in the footer.
package keys

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/navigation"
	"toolcrib/tui/screen"
)

// Shell is the workbench as the keys know it.
type Shell interface {
	Say(tone screen.Tone, format string, args ...any) tea.Cmd
	Type(l *screen.Line) tea.Cmd
	Frame() screen.Frame
	Busy() bool // the keys are not those of the page
}

// Opener opens the pages that are about something.
type Opener interface {
	// OpenPlace opens the page of a place about what is selected; false where something
	// has to be selected first.
	OpenPlace(place string) (cmd tea.Cmd, there bool)
	OpenNumber(number string) tea.Cmd
}

// Everywhere is the place of the keys that all pages have.
const Everywhere = "Everywhere"

// Place is a kind of page with its keys, for documentation.
type Place struct {
	Name string
	Keys []screen.Key
}

// Options configure the keys.
type Options struct {
	Opener    Opener
	Places    func() []Place     // of all pages, in the order in which they are documented
	Elsewhere func() []Elsewhere // what else the search finds; nil for nothing
	HelpPlace string             // of the page that lists the keys of another
	// TakeBack runs what takes back the last decision.
	TakeBack func(*screen.Undo) tea.Cmd
}

// Keys are the keys of the workbench.
type Keys struct {
	Options
	shell    Shell
	pages    *navigation.Pages
	bindings map[string][]string // keys of the user's own, by the names of actions
	global   []screen.Key        // those that all pages have
	listedOf screen.Page         // whose keys are listed, once: the footer asks at every frame
	listed   []screen.Key
	wish     *wish        // key to carry out once its page is ready
	undo     *screen.Undo // of the last decision or waiver, nil where nothing takes it back
	just     bool         // no key was pressed since
}

// New returns the keys of pages.
func New(sh Shell, pages *navigation.Pages, o Options) *Keys {
	return &Keys{Options: o, shell: sh, pages: pages}
}

// Bind replaces keys by the names of their actions, and returns the names that no key has.
// global are the keys that all pages have. It is called before anything is drawn.
func (m *Keys) Bind(bindings map[string][]string, global []screen.Key) (unknown []string) {
	m.bindings, m.listedOf = bindings, nil
	m.global = m.bound(global)
	for name := range bindings {
		if !slices.ContainsFunc(m.Places(), func(p Place) bool {
			return slices.ContainsFunc(p.Keys, func(k screen.Key) bool { return k.Name == name })
		}) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// bound returns keys as the user has bound them.
func (m *Keys) bound(keys []screen.Key) []screen.Key {
	for i, k := range keys {
		if names, ok := m.bindings[k.Name]; ok {
			keys[i].Keys = names
		}
	}
	return keys
}

// of returns the keys of a page as the user has bound them.
func (m *Keys) of(p screen.Page) []screen.Key {
	if p != m.listedOf {
		m.listedOf, m.listed = p, m.bound(p.Keys())
	}
	return m.listed
}

// here returns the keys that act now: those of the page before those of every page.
func (m *Keys) here() []screen.Key { return slices.Concat(m.of(m.pages.On()), m.global) }

// Now returns the keys that act now, by their places.
func (m *Keys) Now() []Place {
	return []Place{{m.pages.On().Place(), m.of(m.pages.On())}, {Everywhere, m.global}}
}

// named returns the key of the page on the screen, or of all pages, with a name.
func (m *Keys) named(name string) (screen.Key, bool) {
	keys := m.here()
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
	if i < 0 {
		return screen.Key{}, false
	}
	return keys[i], true
}

func (m *Keys) isHelp(p screen.Page) bool { return p.Place() == m.HelpPlace }

// Interrupt is called for each key that is pressed. It drops the wish, and reports whether the
// last action can still be undone with the undo key.
func (m *Keys) Interrupt() (just bool) {
	just, m.just, m.wish = m.just, false, nil
	return just
}

// Press carries out a key, or shows why it has no effect. just is set right after
// something was done that can be taken back.
func (m *Keys) Press(msg tea.KeyPressMsg, just bool) tea.Cmd {
	keys := m.here()
	if !m.picking() && m.takesBack(keys, msg, just) {
		return m.TakeBack(m.undo)
	}
	for _, k := range keys {
		switch {
		case !k.Matches(msg):
			continue
		case m.picking() && !k.Picks:
			return m.shell.Say(screen.Warning, "Choose a line first: enter comments on it, esc leaves")
		}
		return m.run(k)
	}
	for _, place := range m.Places() {
		for _, k := range place.Keys {
			if k.Matches(msg) && !m.picking() {
				return m.shell.Say(screen.Remark, "%s is a key of another page, %s: %s", screen.KeyName(k.Keys[0]), place.Name, k.Help)
			}
		}
	}
	return nil
}

// run carries out a key, or shows why it has no effect.
func (m *Keys) run(k screen.Key) tea.Cmd {
	if reason := k.Why(); reason != "" {
		what := screen.KeyName(k.Keys[0])
		if k.Name == "approve" {
			what = "Can't approve"
		}
		return m.shell.Say(screen.Warning, "%s: %s", what, reason)
	}
	return k.Do()
}

// picking reports whether a line of a text is being chosen.
func (m *Keys) picking() bool {
	p := m.pages.On().Shown()
	if p == nil {
		return false
	}
	_, picking := p.Picked()
	return picking
}

// Done stores how to undo the last action, nil if it cannot be undone.
func (m *Keys) Done(undo *screen.Undo) { m.undo, m.just = undo, true }

// takesBack reports whether a key undoes the last action, which it does on any page right after
// the action. Later, only the key of the queue does, because another page may show something
// else.
func (m *Keys) takesBack(keys []screen.Key, msg tea.KeyPressMsg, just bool) bool {
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == "take-back" })
	return just && m.undo != nil && keys[i].Matches(msg)
}

// TakeBackKey takes back the last decision or waiver.
func (m *Keys) TakeBackKey() screen.Key {
	return screen.Key{
		Name: "take-back", Keys: []string{"U"}, Help: "Take back the last decision or waiver: propose again, roll back, end the waiver", Terms: "undo the last decision",
		Do: func() tea.Cmd { return m.TakeBack(m.undo) },
		Off: func() string {
			switch {
			case m.undo == nil:
				return "no decision or waiver to take back"
			case !m.pages.AtHome():
				return "nothing here can be undone; in the queue, it takes back the last decision"
			}
			return ""
		},
	}
}

// Elsewhere is a command or a setting outside of the workbench. The search finds it and explains
// how to use it.
type Elsewhere struct{ Name, Help, How string }

// wish is a key that the search found on another page. It is carried out once that page is on
// the screen and loaded. Another key ends it.
type wish struct {
	place, name string
}
