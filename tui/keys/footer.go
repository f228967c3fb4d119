package keys

import (
	"slices"

	"toolcrib/tui/draw"
	"toolcrib/tui/screen"
)

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
