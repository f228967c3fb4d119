// This file implements the search for keys, commands, and settings.

package keys

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"toolcrib/tui/draw"
	"toolcrib/tui/edit"
	"toolcrib/tui/screen"
)

// hit is a search result: a key, a command, or a setting.
type hit struct {
	place, name, keys, help string
	terms                   string // synonyms
	disabled                string // why the key is disabled on this page, or ""
	otherPage               bool   // the key belongs to another page
	run                     func() tea.Cmd
}

// maxHits is the maximum number of results that are shown at once.
const maxHits = 10

// search finds keys, commands, and settings by parts of their names, descriptions, or synonyms. It is opened
// with the : key.
type search struct {
	text     *edit.Field
	all      []hit
	found    []hit
	selected int // index of the selected result
}

// number matches the number of a proposal.
var number = regexp.MustCompile(`^\s*#?([0-9]{1,9})\s*$`)

// OpenSearch opens the search.
func (m *Keys) OpenSearch() tea.Cmd {
	s := &search{text: edit.NewLine(""), all: m.hits()}
	s.narrow(m)
	return m.shell.OpenLine(&screen.Line{
		Prompt: ":", Text: s.text, Above: func() []draw.Line { return s.lines(m.shell.Frame()) },
		Hints:   [][2]string{{"enter", "go there"}, {"up", "up"}, {"down", "down"}, {"esc", "leave"}},
		Step:    func(n int) { s.selected = min(max(0, s.selected+n), max(0, len(s.found)-1)) },
		Changed: func() tea.Cmd { s.narrow(m); return nil },
		Done: func() tea.Cmd {
			if len(s.found) == 0 {
				return m.shell.Say(screen.Warning, "No match for %q; ? lists the keys of this page", s.text.String())
			}
			return s.found[s.selected].run()
		},
	})
}

// hits returns all possible results: the keys of the current page, the keys of other pages, and commands and
// settings outside the workbench.
func (m *Keys) hits() []hit {
	var all []hit
	type meaning struct{ name, help string } // a name can have different meanings on different pages
	known := map[meaning]bool{}
	add := func(place string, k screen.Key, away bool, do func() tea.Cmd) {
		if of := (meaning{k.Name, k.Help}); !known[of] && k.Name != "commands" {
			known[of] = true
			h := hit{place: place, name: k.Name, keys: k.Names(), help: k.Help, terms: k.Terms, otherPage: away, run: do}
			if !away {
				h.disabled = k.WhyDisabled()
			}
			all = append(all, h)
		}
	}
	on := m.pages.Active()
	if behind := m.pages.Previous(); m.isHelp(on) && behind != nil {
		on = behind // the page that the help describes
	}
	for _, k := range slices.Concat(m.pageKeys(on), m.global) {
		add(on.Place(), k, false, func() tea.Cmd {
			m.LeaveHelp()
			return m.run(k)
		})
	}
	for _, t := range m.Places() {
		for _, k := range m.rebound(t.Keys) {
			add(t.Name, k, true, func() tea.Cmd {
				cmd, opened := m.openPlace(t.Name)
				if !opened {
					return tea.Batch(cmd, m.shell.Say(screen.Remark, "Select a row and press enter, then press %s: %s", screen.KeyName(k.Keys[0]), k.Help))
				}
				m.pending = &pendingKey{place: t.Name, name: k.Name}
				return tea.Batch(cmd, m.RunPending())
			})
		}
	}
	if m.Elsewhere != nil {
		for _, e := range m.Elsewhere() {
			all = append(all, hit{name: e.Name, help: e.Help, otherPage: true, run: func() tea.Cmd { return m.shell.Say(screen.Remark, "%s", e.How) }})
		}
	}
	return all
}

// narrow updates the results. Results that contain every typed word come first, followed by results with a
// name that contains the typed letters in the same order. Each group is sorted by rank.
func (s *search) narrow(m *Keys) {
	text := strings.ToLower(strings.TrimSpace(s.text.String()))
	words := strings.Fields(text)
	s.selected = 0
	s.found = nil
	var fuzzy []hit
	for _, h := range s.all {
		all := strings.ToLower(h.name + " " + h.help + " " + h.terms + " " + h.place)
		switch {
		case !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(all, word) }):
			s.found = append(s.found, h)
		case screen.Fuzzy(text, h.name):
			fuzzy = append(fuzzy, h)
		}
	}
	best := func(a, b hit) int { return cmp.Compare(a.rank(text), b.rank(text)) }
	slices.SortStableFunc(s.found, best)
	slices.SortStableFunc(fuzzy, best)
	s.found = append(s.found, fuzzy...)
	if n := number.FindStringSubmatch(s.text.String()); n != nil {
		open := hit{keys: "enter", name: "#" + n[1], help: "Open proposal #" + n[1], run: func() tea.Cmd { return m.Opener.OpenNumber("#" + n[1]) }}
		s.found = append([]hit{open}, s.found...)
	}
}

// rank rates how well h matches text. Lower ranks are better. Among equally good matches, enabled keys of the
// current page come first.
func (h hit) rank(text string) int {
	n := 0
	switch {
	case text == "":
	case strings.HasPrefix(h.name, text):
	case h.terms != "" && strings.Contains(" "+h.terms+",", " "+text+","):
		n = 1
	case strings.Contains(h.terms, text):
		n = 2
	default:
		n = 3
	}
	n *= 4
	if h.otherPage {
		n += 2
	}
	if h.disabled != "" {
		n++
	}
	if h.keys == "" { // a command or setting outside the workbench
		n++
	}
	return n
}

// lines draws the results that fit on the screen, including the selected result.
func (s *search) lines(f screen.Frame) []draw.Line {
	const keys = len("page down ctrl+f")
	lines := f.Choices(len(s.found), s.selected, min(maxHits, f.Body-3), func(i int) draw.Line {
		h, name, text := s.found[i], f.Theme.Key, f.Theme.Text
		what := draw.Escape(h.help)
		switch {
		case h.disabled != "":
			name, text = f.Theme.Off, f.Theme.Off
			what += " (off now: " + draw.Escape(h.disabled) + ")"
		case h.keys == "":
			called := " " + draw.Escape(h.name) + "  "
			return draw.Of(name, called).Add(f.Theme.Faint, draw.CutWords(what, f.Width-1-draw.Width(called)))
		case h.otherPage:
			what = draw.Escape(h.place) + ": " + what
		}
		return draw.Of(name, " "+draw.Pad(draw.Escape(h.keys), keys)+" ").Add(text, draw.CutWords(what, f.Width-keys-3))
	})
	if len(s.found) == 0 {
		lines = append(lines, draw.Of(f.Theme.Warn, " No matches"))
	}
	return lines
}
