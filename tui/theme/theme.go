// Package theme has the styles of the workbench. They are named by their meaning, so that a
// screen reads the same in any theme, and without colors.
package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Theme is one way for the workbench to look.
type Theme struct {
	Name string // "dark", "light", "16 colours dark", "plain", …; part of what cached renderings depend on
	Dark bool

	Text   Style // text
	Strong Style // titles and emphasis
	Faint  Style // details
	Rule   Style // lines between parts
	Accent Style // where the reader is
	Title  Style // names of parts

	Ground Style // below everything, where the terminal's own is another; "" for none

	Uniform  bool  // Selected turns colours around, and would make patches of those of a row
	Bar      Style // the first line of the screen
	Selected Style // the row the keys act on, under its other styles

	Good, Warn, Bad, Info Style // how something stands

	Added, Removed         Style // lines of a diff
	AddedWord, RemovedWord Style // what changed within them
	AddedSign, RemovedSign Style // the sign before them
	Field                  Style // the heading of a field
	Hidden                 Style // characters that a terminal would draw as nothing or obey
	Match                  Style // what a search found
	Mark                   Style // a passage that a finding is about
	Key                    Style // the name of a key
	Off                    Style // a key that has no effect now
	Dialog                 Style // the frame of a dialog
}

// palette is the colours a theme is made of.
type palette struct {
	ground, text, faint, rule, off, accent, good, warn, bad, info color.Color
	bar, selected, added, removed, addedWord, removedWord         color.Color
	hiddenText, hidden, matchText, match, markText, markBed       color.Color
}

func (p palette) theme(name string, dark bool) Theme {
	return Theme{
		Name: name, Dark: dark,
		Text:   style(p.text, nil),
		Strong: style(p.text, nil, bold),
		Faint:  style(p.faint, nil),
		Rule:   style(p.rule, nil),
		Accent: style(p.accent, nil, bold),
		Title:  style(p.accent, nil),

		Ground: style(p.text, p.ground),

		Bar:      style(nil, p.bar),
		Selected: style(nil, p.selected),

		Good: style(p.good, nil),
		Warn: style(p.warn, nil),
		Bad:  style(p.bad, nil, bold),
		Info: style(p.info, nil),

		Added:       style(p.text, p.added),
		Removed:     style(p.text, p.removed),
		AddedWord:   style(p.text, p.addedWord, bold),
		RemovedWord: style(p.text, p.removedWord, bold),
		AddedSign:   style(p.good, p.added, bold),
		RemovedSign: style(p.bad, p.removed, bold),
		Field:       style(p.accent, nil, bold),
		Hidden:      style(p.hiddenText, p.hidden, bold),
		Match:       style(p.matchText, p.match, bold),
		Mark:        style(p.markText, p.markBed, underline),
		Key:         style(p.text, nil, bold),
		Off:         style(p.off, nil),
		Dialog:      style(p.accent, nil),
	}
}

// Dark is for terminals with a dark background. It is the default, because a
// terminal may never answer the query for its background.
func Dark() Theme { return dark().theme("dark", true) }

func dark() palette {
	c := lipgloss.Color
	return palette{
		ground: c("#1e2127"), text: c("#d8dee9"), faint: c("#98a2b5"), rule: c("#3b4252"), off: c("#7b8597"), accent: c("#88c0d0"),
		good: c("#a3be8c"), warn: c("#ebcb8b"), bad: c("#ec8790"), info: c("#8aabcd"),
		bar: c("#242933"), selected: c("#2e3644"),
		added: c("#1d2f27"), removed: c("#38232a"), addedWord: c("#2f5a43"), removedWord: c("#6b3441"),
		hiddenText: c("#1b1e25"), hidden: c("#ec8790"), matchText: c("#1b1e25"), match: c("#ebcb8b"),
		markText: c("#f0e2bd"), markBed: c("#4a4128"),
	}
}

// Light is for terminals with a light background.
func Light() Theme { return light().theme("light", false) }

func light() palette {
	c := lipgloss.Color
	return palette{
		ground: c("#ffffff"), text: c("#24292f"), faint: c("#59636e"), rule: c("#d0d7de"), off: c("#7b848f"), accent: c("#0a6c8e"),
		good: c("#116d2d"), warn: c("#855800"), bad: c("#b3261e"), info: c("#3454b4"),
		bar: c("#eef1f4"), selected: c("#e2eaf3"),
		added: c("#e3f6e8"), removed: c("#fdeaea"), addedWord: c("#abe5bb"), removedWord: c("#f8bcbc"),
		hiddenText: c("#ffffff"), hidden: c("#b3261e"), matchText: c("#24292f"), match: c("#ffd866"),
		markText: c("#24292f"), markBed: c("#fbe9b7"),
	}
}

// HighContrast is dark, with a contrast of 7 or more in all that is to be read.
func HighContrast() Theme {
	c := lipgloss.Color
	return palette{
		ground: c("#000000"), text: c("#ffffff"), faint: c("#d0d0d0"), rule: c("#9a9a9a"), off: c("#bdbdbd"), accent: c("#5fffff"),
		good: c("#5fff87"), warn: c("#ffd75f"), bad: c("#ffb3b3"), info: c("#b8d4ff"),
		bar: c("#262626"), selected: c("#1c2740"),
		added: c("#002b12"), removed: c("#3a0000"), addedWord: c("#00562a"), removedWord: c("#7a0000"),
		hiddenText: c("#000000"), hidden: c("#ff9f9f"), matchText: c("#000000"), match: c("#ffff00"),
		markText: c("#ffffff"), markBed: c("#4d3c00"),
	}.theme("high contrast", true)
}

// Sixteen is for terminals with the sixteen basic colours only. Backgrounds of lines
// are left alone: nobody knows what they would look like. Of the colours it takes
// those that are readable on black and on white as xterm has them; on white neither
// green nor cyan nor yellow is.
func Sixteen(dark bool) Theme {
	t := Plain()
	t.Name, t.Dark = "16 colours", dark
	accent, warn, good := lipgloss.Cyan, lipgloss.Yellow, style(lipgloss.Green, nil)
	bad, info := lipgloss.BrightRed, lipgloss.Cyan
	if !dark {
		accent, warn, good = lipgloss.Blue, lipgloss.Magenta, style(nil, nil, bold)
		bad, info = lipgloss.Red, lipgloss.Blue
	}
	t.Accent = style(accent, nil, bold)
	t.Title = style(accent, nil)
	t.Good = good
	t.Warn = style(warn, nil)
	t.Bad = style(bad, nil, bold)
	t.Info = style(info, nil)
	t.Added, t.Removed = t.Good, style(bad, nil)
	t.AddedWord = style(lipgloss.Black, lipgloss.Green, bold)
	t.RemovedWord = style(lipgloss.BrightWhite, lipgloss.Red, bold)
	t.AddedSign, t.RemovedSign = t.Added, t.Removed
	t.Field = t.Accent
	t.Hidden = style(lipgloss.BrightWhite, lipgloss.Red, underline)
	t.Match = style(lipgloss.Black, lipgloss.Yellow, bold)
	t.Mark = style(warn, nil, underline)
	t.Dialog = t.Title
	t.Ground = style(lipgloss.White, lipgloss.Black)
	if !dark {
		t.Ground = style(lipgloss.Black, lipgloss.BrightWhite)
	}
	return t
}

// Plain has no colours at all, for NO_COLOR and dumb terminals: signs and words
// carry all meaning, weight, lines and reversal repeat it.
func Plain() Theme {
	strong, pale := style(nil, nil, bold), style(nil, nil, faint)
	line, swapped := style(nil, nil, underline), style(nil, nil, reverse)
	return Theme{
		Name: "plain", Dark: true,
		Strong: strong, Faint: pale, Rule: pale, Accent: strong, Title: line,
		Selected: swapped, Uniform: true, Bad: strong,
		AddedWord: style(nil, nil, bold, underline), RemovedWord: style(nil, nil, strikethrough),
		Field: strong, Hidden: swapped, Match: swapped, Mark: line, Key: strong, Off: pale,
	}
}

// Style is the SGR sequence that begins a piece of text, "" for plain text.
type Style string

// Paint puts a screen on the ground of a theme: where a style ends, the ground goes on.
func (t Theme) Paint(screen string) string {
	if t.Ground == "" {
		return screen
	}
	ground := string(t.Ground)
	screen = strings.ReplaceAll(screen, Reset, Reset+ground)
	return ground + strings.ReplaceAll(screen, "\n", Reset+"\n"+ground) + Reset
}

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

const (
	bold          = ansi.AttrBold
	faint         = ansi.AttrFaint
	underline     = ansi.AttrUnderline
	reverse       = ansi.AttrReverse
	strikethrough = ansi.AttrStrikethrough
)

// style returns the style with the given colours, nil for those of the text around, and
// attributes.
func style(fg, bg color.Color, attrs ...ansi.Attr) Style {
	s := ansi.NewStyle(attrs...)
	if fg != nil {
		s = s.ForegroundColor(fg)
	}
	if bg != nil {
		s = s.BackgroundColor(bg)
	}
	if len(s) == 0 {
		return ""
	}
	return Style(s.String())
}
