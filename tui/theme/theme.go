// Package theme contains the styles of the workbench. They are named by meaning, so that a screen reads the same in
// every theme and without colors.
package theme

import (
	"cmp"
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Theme is a set of styles.
type Theme struct {
	Name string // such as "dark", "16 colours dark", or "plain"; cached renderings depend on it
	Dark bool

	Text   Style // text
	Strong Style // titles and emphasis
	Faint  Style // details
	Rule   Style // lines between parts
	Accent Style // position of the reader
	Title  Style // headings of parts

	Ground Style // background of the screen, if it is not the terminal's; "" for none

	Uniform  bool  // Selected reverses colors, so the row's own styles must be dropped
	Bar      Style // first line of the screen
	Selected Style // the selected row, below its other styles

	Good, Warn, Bad, Info Style // states

	Added, Removed         Style // lines of a diff
	AddedWord, RemovedWord Style // changed words in those lines
	AddedSign, RemovedSign Style // signs before those lines
	Field                  Style // heading of a field
	Hidden                 Style // characters that a terminal would hide or interpret
	Match                  Style // search match
	Mark                   Style // passage of a finding
	Key                    Style // name of a key
	Off                    Style // disabled key
	Dialog                 Style // frame of a dialog
}

// palette contains the colors of a theme.
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

// Dark returns the theme for dark backgrounds. It is the default, because a terminal may never answer the background
// query.
func Dark() Theme {
	c := lipgloss.Color
	return palette{
		ground: c("#1e2127"), text: c("#d8dee9"), faint: c("#98a2b5"), rule: c("#3b4252"), off: c("#7b8597"), accent: c("#88c0d0"),
		good: c("#a3be8c"), warn: c("#ebcb8b"), bad: c("#ec8790"), info: c("#8aabcd"),
		bar: c("#242933"), selected: c("#2e3644"),
		added: c("#1d2f27"), removed: c("#38232a"), addedWord: c("#2f5a43"), removedWord: c("#6b3441"),
		hiddenText: c("#1b1e25"), hidden: c("#ec8790"), matchText: c("#1b1e25"), match: c("#ebcb8b"),
		markText: c("#f0e2bd"), markBed: c("#4a4128"),
	}.theme("dark", true)
}

// Light returns the theme for light backgrounds.
func Light() Theme {
	c := lipgloss.Color
	return palette{
		ground: c("#ffffff"), text: c("#24292f"), faint: c("#59636e"), rule: c("#d0d7de"), off: c("#7b848f"), accent: c("#0a6c8e"),
		good: c("#116d2d"), warn: c("#855800"), bad: c("#b3261e"), info: c("#3454b4"),
		bar: c("#eef1f4"), selected: c("#e2eaf3"),
		added: c("#e3f6e8"), removed: c("#fdeaea"), addedWord: c("#abe5bb"), removedWord: c("#f8bcbc"),
		hiddenText: c("#ffffff"), hidden: c("#b3261e"), matchText: c("#24292f"), match: c("#ffd866"),
		markText: c("#24292f"), markBed: c("#fbe9b7"),
	}.theme("light", false)
}

// HighContrast returns a dark theme with a contrast of at least 7 for all text.
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

// Sixteen returns a theme for terminals with only the 16 basic colors. It sets no background for lines, because their
// appearance is unpredictable. It uses the colors that are readable in xterm's palette. Green, cyan, and yellow are
// not readable on white.
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

// Plain returns a theme without colors, for NO_COLOR and dumb terminals. Signs and words carry all meaning; bold,
// underline, and reverse video repeat it.
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

// Style is the SGR sequence that starts a style; "" for plain text.
type Style string

// Paint draws screen on the background of the theme, and restores the background after each reset.
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

// Over returns s on top of base. Properties that s does not set come from base.
func (s Style) Over(base Style) Style { return base + s }

// Write appends text in style s. The text must be sanitized.
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

// style returns a style with the given attributes and colors. A nil color leaves the surrounding color.
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

// Names of themes in the configuration.
const (
	NameDark     = "dark"
	NameLight    = "light"
	nameContrast = "high-contrast"
)

// Choice selects the theme from the user's choice and the properties of the terminal.
type Choice struct {
	Name            string // chosen theme; "" follows the terminal
	Picked          bool   // chosen with a key, in this run or an earlier one
	Dark            bool   // the terminal's background is dark, as far as known
	BackgroundKnown bool   // the terminal has reported its background
	Sixteen         bool   // the terminal has 16 colors
	Plain           bool   // no colors
}

// Names returns the themes that this terminal supports.
func (c *Choice) Names() []string {
	all := []string{NameDark, NameLight}
	if !c.Sixteen {
		all = append(all, nameContrast)
	}
	return all
}

// current returns the name of the current theme.
func (c *Choice) current() string {
	switch {
	case slices.Contains(c.Names(), c.Name):
		return c.Name
	case c.Dark && c.Name != NameLight:
		return NameDark
	}
	return NameLight
}

// FollowsTerminal reports whether the theme depends on the terminal's background.
func (c *Choice) FollowsTerminal() bool { return c.Name == "" || c.Picked }

// Next selects the next theme.
func (c *Choice) Next() {
	all := c.Names()
	c.Pick(all[(slices.Index(all, c.current())+1)%len(all)])
}

// Pick selects a theme by name; "" keeps the current one.
func (c *Choice) Pick(name string) { c.Name, c.Picked = cmp.Or(name, c.current()), true }

// Theme returns the theme to use in this terminal. If its background differs from the terminal's known background,
// the theme paints its own.
func (c *Choice) Theme() Theme {
	var th Theme
	name := c.current()
	switch {
	case c.Plain:
		th = Plain()
	case c.Sixteen:
		th = Sixteen(name == NameDark)
	case name == nameContrast:
		th = HighContrast()
	case name == NameDark:
		th = Dark()
	default:
		th = Light()
	}
	same := c.BackgroundKnown && c.Dark == th.Dark || !c.Picked
	if same && (name == NameDark || name == NameLight) {
		th.Ground = ""
	}
	return th
}
