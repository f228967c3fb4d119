// Package keys maps key presses to actions. The keys of the current page take precedence over the keys that
// work on every page. The package also draws the footer and implements the search for keys.
package keys

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/tui/draw"
	"toolcrib/tui/navigation"
	"toolcrib/tui/screen"
)

// Shell is the part of the workbench that Keys uses.
type Shell interface {
	Say(tone screen.Tone, format string, args ...any) tea.Cmd
	OpenLine(l *screen.Line) tea.Cmd
	Frame() screen.Frame
	Busy() bool // reports whether a dialog or an input line has the focus
}

// Opener opens the pages of single proposals and definitions.
type Opener interface {
	// OpenPlace opens the page with the given place for the selected proposal or definition. It returns false if
	// nothing is selected, or if pages of this place cannot show the selection.
	OpenPlace(place string) (cmd tea.Cmd, opened bool)
	OpenNumber(number string) tea.Cmd
}

// Everywhere is the name of the place for the keys that work on every page.
const Everywhere = "Everywhere"

// Place is the name of a kind of page, with the keys of these pages. The help lists the keys under this name.
type Place struct {
	Name string
	Keys []screen.Key
}

// Options configure the keys.
type Options struct {
	Opener    Opener
	Places    func() []Place    // returns all kinds of pages, in the order in which the documentation lists them
	Elsewhere func() []External // returns commands and settings for the search, in addition to keys; may be nil
	HelpPlace string            // name of the place of the help page
	// Undo reverts the last decision or waiver.
	Undo func(*screen.Undo) tea.Cmd
}

// Keys dispatches key presses and stores the bindings of keys.
type Keys struct {
	Options
	shell      Shell
	pages      *navigation.Pages
	bindings   map[string][]string // keys that the user has configured for actions, keyed by the name of the action
	global     []screen.Key        // keys that work on every page
	cachedPage screen.Page         // page of the cached keys; without a cache, drawing the footer in each frame would be slow
	cached     []screen.Key
	pending    *pendingKey  // key that runs once its page has loaded; nil for none
	undo       *screen.Undo // reverts the last decision or waiver; nil if nothing can be reverted
	justActed  bool         // no key was pressed since undo was set
}

// New returns the keys for the given pages.
func New(sh Shell, pages *navigation.Pages, o Options) *Keys {
	return &Keys{Options: o, shell: sh, pages: pages}
}

// Bind binds actions to other keys. bindings maps the name of an action to its keys. global contains the keys
// that work on every page. Bind returns the names in bindings that match no action. Call Bind before the first
// frame is drawn.
func (m *Keys) Bind(bindings map[string][]string, global []screen.Key) (unknown []string) {
	m.bindings, m.cachedPage = bindings, nil
	m.global = m.rebound(global)
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

// rebound replaces the keys of each action that the user has bound to other keys.
func (m *Keys) rebound(keys []screen.Key) []screen.Key {
	for i, k := range keys {
		if names, ok := m.bindings[k.Name]; ok {
			keys[i].Keys = names
		}
	}
	return keys
}

// pageKeys returns the keys of page p with the user's bindings.
func (m *Keys) pageKeys(p screen.Page) []screen.Key {
	if p != m.cachedPage {
		m.cachedPage, m.cached = p, m.rebound(p.Keys())
	}
	return m.cached
}

// active returns the keys that work now: the keys of the current page, followed by the keys that work on every
// page.
func (m *Keys) active() []screen.Key { return slices.Concat(m.pageKeys(m.pages.Active()), m.global) }

// Active returns the keys that work now, grouped by place.
func (m *Keys) Active() []Place {
	return []Place{{m.pages.Active().Place(), m.pageKeys(m.pages.Active())}, {Everywhere, m.global}}
}

// named returns the active key with the given name.
func (m *Keys) named(name string) (screen.Key, bool) {
	keys := m.active()
	i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
	if i < 0 {
		return screen.Key{}, false
	}
	return keys[i], true
}

// Enabled reports whether a key with the given name works now.
func (m *Keys) Enabled(name string) bool {
	k, ok := m.named(name)
	return ok && k.WhyDisabled() == ""
}

func (m *Keys) isHelp(p screen.Page) bool { return p.Place() == m.HelpPlace }

// Interrupt must be called for each key press. It cancels the pending key, and reports whether the previous key
// press performed an action that can be undone.
func (m *Keys) Interrupt() (justActed bool) {
	justActed, m.justActed, m.pending = m.justActed, false, nil
	return justActed
}

// Press performs the action of the pressed key, or shows why the key is disabled. justActed is the result of
// Interrupt.
func (m *Keys) Press(msg tea.KeyPressMsg, justActed bool) tea.Cmd {
	keys := m.active()
	// Immediately after an action, the undo key undoes it on every page. Later, the key does this only in the
	// queue, because other pages use it for other purposes.
	if undo, ok := m.named("take-back"); ok && justActed && m.undo != nil && !m.picking() && undo.Matches(msg) {
		return m.Undo(m.undo)
	}
	for _, k := range keys {
		switch {
		case !k.Matches(msg):
			continue
		case m.picking() && !k.WhilePicking:
			return m.shell.Say(screen.Warning, "Choose a line first: enter comments on the line, esc cancels")
		}
		return m.run(k)
	}
	for _, place := range m.Places() {
		for _, k := range place.Keys {
			if k.Matches(msg) && !m.picking() {
				return m.shell.Say(screen.Remark, "%s is a key of the page %s: %s", screen.KeyName(k.Keys[0]), place.Name, k.Help)
			}
		}
	}
	return nil
}

// run performs the action of the given key, or shows why the key is disabled.
func (m *Keys) run(k screen.Key) tea.Cmd {
	if reason := k.WhyDisabled(); reason != "" {
		what := strings.TrimSpace(screen.KeyName(k.Keys[0]) + " " + k.Label)
		if k.Name == "approve" {
			what = "Can't approve"
		}
		return m.shell.Say(screen.Warning, "%s: %s", what, reason)
	}
	return k.Do()
}

// picking reports whether the user is picking a line of the text on screen.
func (m *Keys) picking() bool {
	p := m.pages.Active().ActivePager()
	if p == nil {
		return false
	}
	_, picking := p.Picked()
	return picking
}

// SetUndo sets the undo for the last action. It is nil if the action cannot be undone.
func (m *Keys) SetUndo(undo *screen.Undo) { m.undo, m.justActed = undo, true }

// UndoKey returns the key that undoes the last decision or waiver.
func (m *Keys) UndoKey() screen.Key {
	return screen.Key{
		Name: "take-back", Keys: []string{"U"}, Help: "Undo the last decision or waiver: propose again, roll back, or end the waiver", Terms: "undo the last decision",
		Do: func() tea.Cmd { return m.Undo(m.undo) },
		Disabled: func() string {
			switch {
			case m.undo == nil:
				return "no decision or waiver to undo"
			case !m.pages.AtHome():
				return "nothing to undo on this page; in the queue, the key undoes the last decision"
			}
			return ""
		},
	}
}

// External is a command or a setting outside the workbench that the search finds. How explains its use.
type External struct{ Name, Help, How string }

// pendingKey is a key of another page that the user chose in the search. Its action runs once that page is on
// screen and has loaded. Pressing another key cancels it.
type pendingKey struct {
	place, name string
}

// Footer draws as many keys as fit. The keys for quit and help are always shown, and the key for back if it has an
// effect.
func (m *Keys) Footer() draw.Line {
	f := m.shell.Frame()
	if m.picking() {
		return f.Hints([][2]string{{"enter", m.pages.Active().ActivePager().PickAction()}, {"j", "down"}, {"k", "up"}, {"J", "next change"}, {"esc", "leave"}})
	}
	hint := func(k *screen.Key) draw.Line {
		name, label := f.Theme.Key, f.Theme.Faint
		if k.WhyDisabled() != "" { // a disabled key is dimmed
			name, label = f.Theme.Off, f.Theme.Off
		}
		if k.Undoes != nil && k.Undoes() {
			return screen.Hint(name, label, k.Keys[0], k.UndoLabel)
		}
		return screen.Hint(name, label, k.Keys[0], k.Label)
	}
	var last draw.Line // these keys are always shown
	for _, name := range []string{"back", "quit", "help"} {
		if k, ok := m.named(name); ok && (name != "back" || m.pages.CanGoBack()) {
			last = append(last, hint(&k)...)
		}
	}
	return f.FitHints(lists.Map(m.footerKeys(m.active()), hint), last)
}

// footerKeys returns the keys that the footer shows before back, quit, and help. The keys that an approval needs
// come first, followed by the keys of the current tab. The keys marked as late come last.
func (m *Keys) footerKeys(keys []screen.Key) []*screen.Key {
	p, current := m.pages.Current()
	// While the proposal is open, the keys for decisions and for submitting stay in the footer even if they are
	// disabled.
	awaited := func(name string) bool {
		return current && p.State.Open() && slices.Contains([]string{"approve", "needs-changes", "reject", "submit"}, name)
	}
	var first, tab, page, late []*screen.Key
	for i := range keys {
		switch k := &keys[i]; {
		case k.Label == "", k.Name == "quit", k.Name == "help", k.Name == "back", k.OnTab != nil && !k.OnTab():
		case k.WhyDisabled() != "" && !awaited(k.Name):
		case current && p.State == proposals.UserReview && (k.Name == "approve" || k.Name == "next-unseen"):
			first = append(first, k)
		case k.OnTab != nil:
			tab = append(tab, k)
		case k.Late != nil && k.Late():
			late = append(late, k)
		default:
			page = append(page, k)
		}
	}
	return slices.Concat(first, tab, page, late)
}

// openPlace opens the page with the given place. It returns false if nothing is selected, or if pages of this
// place cannot show the selection.
func (m *Keys) openPlace(place string) (cmd tea.Cmd, opened bool) {
	if p := m.pages.ByPlace(place); p != nil {
		return m.pages.Visit(p), true
	}
	m.LeaveHelp()
	if place == Everywhere || place == m.pages.Active().Place() {
		return nil, true
	}
	return m.Opener.OpenPlace(place)
}

// LeaveHelp goes back from the help to the page that the help describes. It returns false if the help is not on
// screen.
func (m *Keys) LeaveHelp() (cmd tea.Cmd, left bool) {
	if m.isHelp(m.pages.Active()) {
		return m.pages.Back(), true
	}
	return nil, false
}

// RunPending performs the action of the pending key, or shows why the key is disabled. It does nothing if the
// key's page is not on screen. If the page is still loading, the key stays pending.
func (m *Keys) RunPending() tea.Cmd {
	if m.pending == nil || m.pending.place != Everywhere && m.pages.Active().Place() != m.pending.place || m.shell.Busy() {
		return nil
	}
	key, ok := m.named(m.pending.name)
	if !ok {
		return nil
	}
	var turned tea.Cmd
	for _, next := range []string{"next-section", "next-tab"} {
		turn, ok := m.named(next)
		for n := 0; ok && n < maxTabs && key.OnTab != nil && !key.OnTab(); n++ {
			turned = tea.Batch(turned, turn.Do())
		}
	}
	if key.WhyDisabled() == screen.Loading {
		return turned
	}
	m.pending = nil
	return tea.Batch(turned, m.run(key))
}

// maxTabs is an upper limit for the number of tabs of a page.
const maxTabs = 8
