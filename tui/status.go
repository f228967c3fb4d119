package tui

import (
	"slices"

	"toolcrib/tui/draw"
	"toolcrib/tui/theme"
	"toolcrib/tui/wording"
)

// tone is how something is said.
type tone int

const (
	remark tone = iota
	success
	warning
	failure
)

// status is the last thing that was said.
type status struct {
	tone tone
	text draw.Safe
}

// say shows a line at the bottom until the next key. Everything in it passes
// the gate.
func (m *Model) say(t tone, format string, args ...any) {
	m.status = status{t, draw.Showf(format, args...)}
}

// fail says an error.
func (m *Model) fail(err error) { m.say(failure, "%s", wording.OneLine(err)) }

// footer shows the keys that matter here, as many as fit; the one for help is
// always among them.
func (m *Model) footer() draw.Line {
	if m.dialog != nil {
		return m.dialog.footer(m)
	}
	keys := m.here()
	room := m.layout.width
	var help draw.Line
	for i := range keys {
		if keys[i].name == "help" {
			help = m.hint(&keys[i])
			room -= help.Width()
		}
	}
	l := draw.Of("", " ")
	slices.SortStableFunc(keys, func(a, b key) int { return rank(m, a) - rank(m, b) })
	for i := range keys {
		k := &keys[i]
		if k.label == "" || k.name == "help" {
			continue
		}
		next := append(l[:len(l):len(l)], m.hint(k)...)
		if next.Width() > room {
			break
		}
		l = next
	}
	return append(l, help...)
}

// rank is where the footer has a key: 0 for before those with 1.
func rank(m *Model, k key) int {
	if k.late != nil && k.late(m) {
		return 1
	}
	return 0
}

func always(*Model) bool { return true }

// hint is a key with what it does, dimmed while it does nothing.
func (m *Model) hint(k *key) draw.Line {
	name, label := m.theme.Key, m.theme.Faint
	if k.why(m) != "" {
		name, label = m.theme.Off, m.theme.Off
	}
	return keyHint(name, label, k.keys[0], k.label)
}

func keyHint(name, text theme.Style, k, label string) draw.Line {
	return draw.Of(name, draw.Show(keyName(k))).Add(text, " "+draw.Show(label)+"   ")
}
