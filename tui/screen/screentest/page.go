// Package screentest drives a page of the workbench in tests, without the workbench.
package screentest

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"toolcrib/tui/screen"
	"toolcrib/tui/theme"
)

// Now is the present, for ages.
var Now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// Open fits a page in a screen without colours and reads it. It returns what the page
// asks its shell for.
func Open(tb testing.TB, sh screen.Shell, p screen.Page, width, height int) []any {
	tb.Helper()
	Fit(p, width, height)
	drain(p, p.Reload())
	return Asked(sh)
}

// Fit fits a page in a screen of another size.
func Fit(p screen.Page, width, height int) { p.Fit(Frame(width, height)) }

// Frame returns a screen without colours.
func Frame(width, height int) screen.Frame {
	return screen.Frame{Layout: screen.NewLayout(width, height, screen.Division{}), Theme: theme.Plain(), Now: func() time.Time { return Now }}
}

// Press does what a key of the page is declared to do. It returns what the page asks its
// shell for, or why the key is off.
func Press(tb testing.TB, sh screen.Shell, p screen.Page, name string) (asked []any, off string) {
	tb.Helper()
	for _, k := range p.Keys() {
		if slices.Contains(k.Keys, name) {
			if off = k.Why(); off != "" {
				return nil, off
			}
			drain(p, k.Do())
			return Asked(sh), ""
		}
	}
	tb.Fatalf("the page has no key %s", name)
	return nil, ""
}

// drain gives a page what commands find, until there are none.
func drain(p screen.Page, cmds ...tea.Cmd) {
	for len(cmds) > 0 {
		cmd := cmds[0]
		cmds = cmds[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			cmds = append(cmds, msg...)
		case screen.Then:
			cmds = append(cmds, msg.Do())
		default:
			cmds = append(cmds, p.Update(msg))
		}
	}
}

// View returns the body of a page, as a person sees it. No line has another width than
// the screen.
func View(tb testing.TB, p screen.Page, width int) string {
	tb.Helper()
	p.See()
	lines := p.View()
	for _, line := range lines {
		if n := ansi.StringWidth(line); n != width {
			tb.Errorf("%d columns: a line of %d: %q", width, n, line)
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}
