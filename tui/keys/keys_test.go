package keys

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/navigation"
	"toolcrib/tui/pager"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// home is a page with one key.
type home struct {
	screen.Page
	pressed *[]string
}

func (h *home) Place() string { return "Home" }
func (h *home) Keys() []screen.Key {
	return []screen.Key{named(h.pressed, "undo", "U", "nothing is selected"), named(h.pressed, "open", "o", "")}
}

func named(pressed *[]string, name, key, off string) screen.Key {
	return screen.Key{Name: name, Keys: []string{key}, Help: "Does " + name, Do: func() tea.Cmd { *pressed = append(*pressed, name); return nil }, Disabled: func() string { return off }}
}

// desktop is a shell that records messages and input lines.
type desktop struct {
	said string
	line *screen.Line
}

func (d *desktop) Say(tone screen.Tone, format string, args ...any) tea.Cmd {
	d.said = string(screen.Sayf(tone, format, args...).Text)
	return nil
}

func (d *desktop) OpenLine(l *screen.Line) tea.Cmd {
	d.line = l
	return nil
}

func (d *desktop) Busy() bool { return false }
func (d *desktop) Frame() screen.Frame {
	return screen.Frame{Layout: screen.NewLayout(80, 24, screen.Division{}), Theme: theme.Plain()}
}

// ActivePager implements screen.Page. The page has no text.
func (h *home) ActivePager() *pager.Pager { return nil }

type nowhere struct{}

func (nowhere) OpenPlace(string) (cmd tea.Cmd, there bool) { return nil, false }
func (nowhere) OpenNumber(string) tea.Cmd                  { return nil }

func press(m *Keys, key string) {
	m.Press(tea.KeyPressMsg{Code: rune(key[0]), Text: key}, m.Interrupt())
}

// TestKeys checks that keys of the page precede global keys, that the reason of a disabled key is shown, that the
// last action can be undone, and that the search finds a key by a synonym.
func TestKeys(t *testing.T) {
	var pressed []string
	page, sh, undone := &home{pressed: &pressed}, new(desktop), 0
	pages := navigation.New([]navigation.Root{{Page: page, Name: "Home"}}, func(screen.Page) bool { return false })
	m := New(sh, pages, Options{
		Opener: nowhere{}, HelpPlace: "Help", Undo: func(*screen.Undo) tea.Cmd { undone++; return nil },
		Places: func() []Place { return []Place{{Everywhere, nil}, {"Home", page.Keys()}} },
	})
	log := named(&pressed, "log", "L", "")
	log.Terms = "audit, events"
	global := []screen.Key{log, named(&pressed, "open-too", "o", ""), named(&pressed, "quit", "q", ""), named(&pressed, "help", "?", ""), m.UndoKey()}
	if unknown := m.Bind(map[string][]string{"open": {"x"}, "fly": {"z"}}, global); !slices.Equal(unknown, []string{"fly"}) {
		t.Errorf("%v are no keys", unknown)
	}
	press(m, "x")
	press(m, "o")
	if press(m, "U"); sh.said != "U: nothing is selected" {
		t.Errorf("%q is said", sh.said)
	}
	m.SetUndo(new(screen.Undo))
	if press(m, "U"); undone != 1 {
		t.Error("what was just done is not taken back")
	}
	m.OpenSearch()
	sh.line.Text.Insert("audit")
	sh.line.Changed()
	sh.line.Done()
	if want := []string{"open", "open-too", "log"}; !slices.Equal(pressed, want) {
		t.Errorf("%v were carried out, not %v", pressed, want)
	}
}

// desk is a page with a key that acts on what the page has read.
type desk struct {
	home
	why string
}

func (d *desk) Place() string { return "Desk" }
func (d *desk) Keys() []screen.Key {
	key := named(d.pressed, "sign", "s", "")
	key.Disabled = func() string { return d.why }
	return []screen.Key{key}
}
func (d *desk) Reload() tea.Cmd { return nil }

// TestAKeyWaitsForItsPage chooses a key of a page that is still loading. Either nothing is shown and the key runs
// once the page has loaded, or the reason is shown and the key does not run later.
func TestAKeyWaitsForItsPage(t *testing.T) {
	for _, why := range []string{"", "it is locked"} {
		var pressed []string
		sh, at := new(desktop), &desk{home{pressed: &pressed}, screen.Loading}
		pages := navigation.New([]navigation.Root{{Page: &home{pressed: &pressed}, Name: "Home"}, {Page: at, Name: "Desk"}}, func(screen.Page) bool { return false })
		m := New(sh, pages, Options{Opener: nowhere{}, HelpPlace: "Help", Places: func() []Place { return []Place{{"Desk", at.Keys()}} }})
		m.Bind(nil, []screen.Key{m.UndoKey()})
		m.OpenSearch()
		sh.line.Text.Insert("sign")
		sh.line.Changed()
		sh.line.Done()
		if m.RunPending(); sh.said != "" || len(pressed) != 0 {
			t.Errorf("while the page is loading, %q is said, and %v is carried out", sh.said, pressed)
		}
		at.why = why
		m.RunPending()
		said := sh.said
		at.why = ""
		m.RunPending()
		if carried := len(pressed) == 1; carried != (why == "") || (said == "") != carried {
			t.Errorf("with the reason %q, %q is said, and then %v is carried out", why, said, pressed)
		}
	}
}
