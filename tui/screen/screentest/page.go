// Package screentest lets tests use a page without the workbench.
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

// Now is the current time in all tests.
var Now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// Open lays out a page for a screen without colors, and loads the page's data. It returns the requests of the
// page to its shell.
func Open(tb testing.TB, sh screen.Shell, p screen.Page, width, height int) []any {
	tb.Helper()
	Fit(p, width, height)
	drain(p, p.Reload())
	return Requests(sh)
}

// Fit lays out a page for a screen of width columns and height rows.
func Fit(p screen.Page, width, height int) { p.Fit(Frame(width, height)) }

// Frame returns a frame without colors.
func Frame(width, height int) screen.Frame {
	return screen.Frame{Layout: screen.NewLayout(width, height, screen.Division{}), Theme: theme.Plain(), Now: func() time.Time { return Now }}
}

// Press performs the action of the key with the given name. It returns the requests of the page to its shell
// or, if the key is disabled, the reason.
func Press(tb testing.TB, sh screen.Shell, p screen.Page, name string) (asked []any, off string) {
	tb.Helper()
	for _, k := range p.Keys() {
		if slices.Contains(k.Keys, name) {
			if off = k.WhyDisabled(); off != "" {
				return nil, off
			}
			drain(p, k.Do())
			return Requests(sh), ""
		}
	}
	tb.Fatalf("the page has no key %s", name)
	return nil, ""
}

// drain runs the commands and passes their results to p. It does the same with the commands that p returns,
// until no commands remain.
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

// View returns the body of a page as it appears on screen. It reports a test error if a line does not have the
// width of the screen.
func View(tb testing.TB, p screen.Page, width int) string {
	tb.Helper()
	p.MarkSeen()
	lines := p.View()
	for _, line := range lines {
		if n := ansi.StringWidth(line); n != width {
			tb.Errorf("%d columns: a line of %d: %q", width, n, line)
		}
	}
	return ansi.Strip(strings.Join(lines, "\n"))
}
