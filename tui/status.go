package tui

import (
	"slices"
	"strings"

	"toolcrib/review/rules"
	"toolcrib/review/rules/ruleset"
	"toolcrib/tui/draw"
	"toolcrib/tui/labels"
	"toolcrib/tui/prose"
	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// The kinds of messages.
const (
	remark  = screen.Remark
	success = screen.Success
	warning = screen.Warning
	failure = screen.Failure
)

// footer shows the keys that matter here, as many as fit: those of an input line
// or dialog, else those of the tab, then those of the page. Those to quit and for
// help are always among them.
func (m *Model) footer() draw.Line {
	if m.dialog != nil {
		return m.dialog.footer(m.shell)
	}
	if hints := m.modeHints(); hints != nil {
		l := draw.Of("", " ")
		for _, h := range hints {
			next := append(l[:len(l):len(l)], keyHint(m.theme.Key, m.theme.Faint, h[0], h[1])...)
			if next.Width() > m.layout.Width {
				break
			}
			l = next
		}
		return l
	}
	keys := m.here()
	room := m.layout.Width
	var last draw.Line // those that are always there
	for _, name := range []string{"back", "quit", "help"} {
		i := slices.IndexFunc(keys, func(k screen.Key) bool { return k.Name == name })
		if name != "back" || m.canGoBack() {
			last = append(last, m.hint(&keys[i])...)
		}
	}
	room -= last.Width()
	l := draw.Of("", " ")
	for _, k := range m.footed(keys) {
		next := append(l[:len(l):len(l)], m.hint(k)...)
		if next.Width() > room {
			break
		}
		l = next
	}
	return append(l, last...)
}

// footed returns the keys that the footer has besides those that are always there, in
// its order.
func (m *Model) footed(keys []screen.Key) []*screen.Key {
	var byRank [3][]*screen.Key
	for i := range keys {
		k := &keys[i]
		switch {
		case k.Label == "", k.Name == "quit", k.Name == "help", k.Name == "back", k.Here != nil && !k.Here():
			continue
		case k.Why() != "" && !m.pending(k.Name):
			continue
		}
		n := rank(k)
		byRank[n] = append(byRank[n], k)
	}
	return slices.Concat(byRank[:]...)
}

// pending reports whether a key is worth a place while it is off: that of a decision or
// a submission of a proposal that is open.
func (m *pages) pending(name string) bool {
	p, ok := m.current()
	return ok && p.State.Open() && slices.Contains([]string{"approve", "needs-changes", "reject", "submit"}, name)
}

// canGoBack reports whether esc leads anywhere.
func (m *pages) canGoBack() bool {
	return len(m.trail) > 0 || m.page.filter() != ""
}

// modeHints returns the keys of an input line or dialog, nil outside of one.
func (m *pages) modeHints() [][2]string {
	switch {
	case m.line != nil:
		return m.line.Hints
	case m.picking():
		return [][2]string{{"enter", m.page.Shown().PickDeed()}, {"j", "down"}, {"k", "up"}, {"J", "next change"}, {"esc", "leave"}}
	}
	return nil
}

// rank is where the footer has a key: those of the tab first, those that are
// late last.
func rank(k *screen.Key) int {
	switch {
	case k.Here != nil:
		return 0
	case k.Late != nil && k.Late():
		return 2
	}
	return 1
}

// hint is a key with what it does, dimmed while it does nothing.
func (m *shell) hint(k *screen.Key) draw.Line {
	name, label := m.theme.Key, m.theme.Faint
	if k.Why() != "" {
		name, label = m.theme.Off, m.theme.Off
	}
	return keyHint(name, label, k.Keys[0], k.Label)
}

func keyHint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Show(keyName(k))).Add(text, " "+draw.Show(label)+"  ")
}

// maxStatusLines limits the lines of the status message.
const maxStatusLines = 6

// statusLines wraps the status message to the width of the screen. Reasons are
// never cut short of maxStatusLines.
func (m *shell) statusLines() []draw.Line {
	if l := slowLine(m); l != nil && m.status.Tone == remark {
		return []draw.Line{l}
	}
	if m.status.Text == "" {
		return hintLines(m)
	}
	sign, style := draw.Safe("  "), m.theme.Faint
	switch m.status.Tone {
	case success:
		sign, style = "✓ ", m.theme.Good
	case warning:
		sign, style = "! ", m.theme.Warn
	case failure:
		sign, style = "✗ ", m.theme.Bad
	case remark:
	}
	text := m.theme.Text
	if m.status.Tone == remark {
		text = m.theme.Faint
	}
	const before = 3 // a blank and the sign
	parts := wrap(m.status.Text, m.layout.Width-before-1)
	if len(parts) > maxStatusLines {
		rest := strings.Join(asStrings(parts[maxStatusLines-1:]), " ")
		parts = append(parts[:maxStatusLines-1], draw.Cut(draw.Safe(rest), m.layout.Width-before-1))
	}
	lines := make([]draw.Line, len(parts))
	for i, p := range parts {
		lines[i] = draw.Of("", " ").Add(style, sign).Add(text, p)
		sign = "  "
	}
	return lines
}

// wrap breaks text into lines at word boundaries, and inside words that are
// wider than a line.
func wrap(text draw.Safe, width int) []draw.Safe {
	var lines []draw.Safe
	line := draw.Safe("")
	for word := range strings.SplitSeq(string(text), " ") {
		w := draw.Safe(word)
		switch {
		case line == "" && len(lines) == 0:
			line = w
		case draw.Width(line)+1+draw.Width(w) <= width, draw.Width(w) > width:
			line += " " + w
		default:
			lines, line = append(lines, line), w
		}
		for draw.Width(line) > width {
			head, rest := draw.Break(line, width)
			lines, line = append(lines, head), rest
		}
	}
	return append(lines, line)
}

func asStrings(parts []draw.Safe) []string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = string(p)
	}
	return out
}

// explain writes what a rule is about, with an example that it finds something
// in and one that it leaves alone.
func (m *Model) explain(page *prose.Page, id string) {
	page.Blank()
	all := ruleset.All()
	i := slices.IndexFunc(all, func(r rules.Rule) bool { return r.ID == id })
	if i < 0 {
		page.Heading("Rule " + id)
		page.Faint("  ", "A rule of the external reviewer; see its findings.")
		return
	}
	r := all[i]
	page.Heading("Rule " + r.ID + "  " + r.Name)
	sign, style := labels.Severity(m.theme, r.Severity)
	line := draw.Of(style, "  "+sign)
	switch {
	case r.Locked:
		line = line.Add(m.theme.Faint, ", always on")
	case r.Waivable:
		line = line.Add(m.theme.Faint, ", can be waived with a reason")
	default:
		line = line.Add(m.theme.Faint, ", cannot be waived")
	}
	page.Line(line)
	m.texts.Prose(page, m.theme, m.layout.Width, r.Doc)
	page.Blank()
	page.Item(draw.Of(m.theme.Bad, "  ✗ bad   "), r.Bad)
	page.Item(draw.Of(m.theme.Good, "  ✓ good  "), r.Good)
	if r.Suggestion != "" {
		page.Faint("  ", "→ "+r.Suggestion)
	}
	if r.Importer != "" {
		page.Faint("  ", "→ "+rules.Importing(r.Importer))
	}
}
