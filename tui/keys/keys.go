// Package keys dispatches key presses, to the page on screen first and then to the keys of the workbench. It also
// contains the search for keys and the footer.
package keys

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/navigation"
	"toolcrib/tui/screen"
)

// Shell is the part of the workbench that the keys use.
type Shell interface {
	Say(tone screen.Tone, format string, args ...any) tea.Cmd
	Type(l *screen.Line) tea.Cmd
	Frame() screen.Frame
	Busy() bool // a dialog or an input line has the focus
}

// Opener opens the pages that have a subject.
type Opener interface {
	// OpenPlace opens the page of a place for the selection. It returns false if nothing suitable is selected.
	OpenPlace(place string) (cmd tea.Cmd, there bool)
	OpenNumber(number string) tea.Cmd
}

// Everywhere is the place of the keys that work on every page.
const Everywhere = "Everywhere"

// Place is a kind of page with its keys.
type Place struct {
	Name string
	Keys []screen.Key
}

// Options configure the keys.
type Options struct {
	Opener    Opener
	Places    func() []Place     // all kinds of pages, in the order of the documentation
	Elsewhere func() []Elsewhere // commands and settings that the search also offers; may be nil
	HelpPlace string             // place of the help page
	// TakeBack reverts the last decision.
	TakeBack func(*screen.Undo) tea.Cmd
}

// Keys dispatches the keys of the workbench.
type Keys struct {
	Options
	shell    Shell
	pages    *navigation.Pages
	bindings map[string][]string // user's keys by name of the action
	global   []screen.Key        // keys of every page
	listedOf screen.Page         // page whose keys are cached in listed, because the footer needs them at every frame
	listed   []screen.Key
	wish     *wish        // key to run once its page has loaded
	undo     *screen.Undo // reverts the last decision or waiver; nil if nothing can be reverted
	just     bool         // no key was pressed since
}

// New returns the keys for pages.
func New(sh Shell, pages *navigation.Pages, o Options) *Keys {
	return &Keys{Options: o, shell: sh, pages: pages}
}

// Bind replaces keys by action name and returns the unknown names. global are the keys of every page. It is called
// before the first frame is drawn.
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

// bound applies the user's bindings to keys.
func (m *Keys) bound(keys []screen.Key) []screen.Key {
	for i, k := range keys {
		if names, ok := m.bindings[k.Name]; ok {
			keys[i].Keys = names
		}
	}
	return keys
}

// of returns the keys of a page with the user's bindings.
func (m *Keys) of(p screen.Page) []screen.Key {
	if p != m.listedOf {
		m.listedOf, m.listed = p, m.bound(p.Keys())
	}
	return m.listed
}

// here returns the active keys, those of the page first.
func (m *Keys) here() []screen.Key { return slices.Concat(m.of(m.pages.On()), m.global) }

// Now returns the active keys by place.
func (m *Keys) Now() []Place {
	return []Place{{m.pages.On().Place(), m.of(m.pages.On())}, {Everywhere, m.global}}
}

// named returns the active key with a name.
func (m *Keys) named(name string) (screen.Key, bool) {
	keys := m.here()
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
	if i < 0 {
		return screen.Key{}, false
	}
	return keys[i], true
}

func (m *Keys) isHelp(p screen.Page) bool { return p.Place() == m.HelpPlace }

// Interrupt is called for every key press. It cancels the pending wish and reports whether the last action can still
// be undone with the undo key.
func (m *Keys) Interrupt() (just bool) {
	just, m.just, m.wish = m.just, false, nil
	return just
}

// Press runs the key that was pressed, or shows why it is disabled. just reports whether the previous key performed
// an action that can be undone.
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

// run runs a key, or shows why it is disabled.
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

// picking reports whether the user is picking a line of a text.
func (m *Keys) picking() bool {
	p := m.pages.On().Shown()
	if p == nil {
		return false
	}
	_, picking := p.Picked()
	return picking
}

// Done stores how to undo the last action; nil if it cannot be undone.
func (m *Keys) Done(undo *screen.Undo) { m.undo, m.just = undo, true }

// takesBack reports whether a key undoes the last action. Right after the action, the key works on every page. Later,
// it works only on the queue, because other pages may show something else.
func (m *Keys) takesBack(keys []screen.Key, msg tea.KeyPressMsg, just bool) bool {
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == "take-back" })
	return just && m.undo != nil && keys[i].Matches(msg)
}

// TakeBackKey returns the key that takes back the last decision or waiver.
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

// Elsewhere is a command or a setting outside the workbench. The search offers it and explains its use.
type Elsewhere struct{ Name, Help, How string }

// wish is a key of another page that the user chose in the search. It runs once that page is on screen and loaded,
// unless another key is pressed.
type wish struct {
	place, name string
}

// Footer draws the most important keys, as many as fit: those of the tab, then those of the page. The keys for quit
// and help are always shown.
func (m *Keys) Footer() draw.Line {
	f := m.shell.Frame()
	if m.picking() {
		return f.Hints([][2]string{{"enter", m.pages.On().Shown().PickDeed()}, {"j", "down"}, {"k", "up"}, {"J", "next change"}, {"esc", "leave"}})
	}
	hint := func(k *screen.Key) draw.Line {
		name, label := f.Theme.Key, f.Theme.Faint
		if k.Why() != "" { // dimmed while disabled
			name, label = f.Theme.Off, f.Theme.Off
		}
		return screen.Hint(name, label, k.Keys[0], k.Label)
	}
	keys := m.here()
	var last draw.Line // always shown
	for _, name := range []string{"back", "quit", "help"} {
		i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
		if name != "back" || m.pages.CanGoBack() {
			last = append(last, hint(&keys[i])...)
		}
	}
	room, l := f.Width-last.Width(), draw.Of("", " ")
	for _, k := range m.footed(keys) {
		next := append(l[:len(l):len(l)], hint(k)...)
		if next.Width() > room {
			break
		}
		l = next
	}
	return append(l, last...)
}

// footed returns the keys that the footer shows besides quit and help, those of the tab first and late ones last.
func (m *Keys) footed(keys []screen.Key) []*screen.Key {
	p, current := m.pages.Current()
	// Keys that decide or submit an open proposal stay in the footer while they are disabled.
	awaited := func(name string) bool {
		return current && p.State.Open() && slices.Contains([]string{"approve", "needs-changes", "reject", "submit"}, name)
	}
	var tab, page, late []*screen.Key
	for i := range keys {
		switch k := &keys[i]; {
		case k.Label == "", k.Name == "quit", k.Name == "help", k.Name == "back", k.Here != nil && !k.Here():
		case k.Why() != "" && !awaited(k.Name):
		case k.Here != nil:
			tab = append(tab, k)
		case k.Late != nil && k.Late():
			late = append(late, k)
		default:
			page = append(page, k)
		}
	}
	return slices.Concat(tab, page, late)
}

// toPlace opens the page of a place. It returns false if nothing suitable is selected.
func (m *Keys) toPlace(place string) (cmd tea.Cmd, there bool) {
	if p := m.pages.At(place); p != nil {
		return m.pages.Visit(p), true
	}
	m.LeaveHelp()
	if place == Everywhere || place == m.pages.On().Place() {
		return nil, true
	}
	return m.Opener.OpenPlace(place)
}

// LeaveHelp returns from the help to the page that it describes. It returns false on any other page.
func (m *Keys) LeaveHelp() (cmd tea.Cmd, left bool) {
	if m.isHelp(m.pages.On()) {
		return m.pages.Back(), true
	}
	return nil, false
}

// Grant runs the pending wish on its page, or shows why the key is disabled. It waits until the page has loaded, so
// that no dialog opens after the user was told that the key is disabled.
func (m *Keys) Grant() tea.Cmd {
	if m.wish == nil || m.wish.place != Everywhere && m.pages.On().Place() != m.wish.place || m.shell.Busy() {
		return nil
	}
	wished, ok := m.named(m.wish.name)
	if !ok {
		return nil
	}
	var turned tea.Cmd
	for _, next := range []string{"next-section", "next-tab"} {
		turn, ok := m.named(next)
		for n := 0; ok && n < maxTabs && wished.Here != nil && !wished.Here(); n++ {
			turned = tea.Batch(turned, turn.Do())
		}
	}
	if wished.Why() == screen.Loading {
		return turned
	}
	m.wish = nil
	return tea.Batch(turned, m.run(wished))
}

// maxTabs exceeds the number of tabs of any page.
const maxTabs = 8
