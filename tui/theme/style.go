// Package theme has the look of the workbench: every style is named by its
// meaning, so that a screen reads the same in any theme, and without colours.
package theme

import (
	"image/color"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Style is the SGR sequence that begins a piece of text, "" for plain text.
type Style string

// Reset ends every style.
const Reset = "\x1b[m"

// Over returns s on top of base: what s does not say is as base has it.
func (s Style) Over(base Style) Style { return base + s }

// Write appends text, which must be safe to print, in style s.
func (s Style) Write(b *strings.Builder, text string) {
	if s == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(string(s))
	b.WriteString(text)
	b.WriteString(Reset)
}

// look is a Style before it is written down.
type look struct {
	fg, bg                                       color.Color
	bold, faint, italic, underline, reverse, off bool
}

func (l look) style() Style {
	var s ansi.Style
	if l.bold {
		s = s.Bold()
	}
	if l.faint {
		s = s.Faint()
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.underline {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	if l.off {
		s = s.Strikethrough(true)
	}
	if l.fg != nil {
		s = s.ForegroundColor(l.fg)
	}
	if l.bg != nil {
		s = s.BackgroundColor(l.bg)
	}
	if len(s) == 0 {
		return ""
	}
	return Style(s.String())
}
