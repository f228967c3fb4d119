// Package theme contains the styles of the workbench. Styles are named after their meaning, which makes screens
// consistent in every theme and without colors.
package theme

import (
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Theme is a set of styles.
type Theme struct {
	Name string // for example "dark", "16 colours", or "plain"
	Dark bool

	Text   Style // ordinary text
	Strong Style // titles and emphasis
	Faint  Style // details
	Rule   Style // lines between parts of the screen
	Accent Style // cursor, focus, and scroll position
	Title  Style // headings of parts of the screen

	Ground Style // background of the screen; "" for the terminal's own background

	Uniform  bool  // Selected reverses the colors, so styles within the row must be dropped
	Bar      Style // first line of the screen
	Selected Style // the selected row; the styles of the row's text are applied on top of it

	Good, Warn, Bad, Info Style // states

	Added, Removed         Style // lines of a diff
	AddedWord, RemovedWord Style // changed words in the lines of a diff
	AddedSign, RemovedSign Style // signs before the lines of a diff
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

// Dark returns the theme for dark backgrounds. It is the default for terminals that do not report their
// background color.
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

// HighContrast returns a dark theme. The contrast ratio of all text is at least 7:1.
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

// Sixteen returns a theme for terminals with only the 16 basic colors. It sets no backgrounds for lines,
// because their appearance varies between terminals. It uses the colors that are readable in xterm's palette on
// the given background: green, cyan, and yellow are not readable on white.
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

// Plain returns a theme without colors, for NO_COLOR and for dumb terminals. Signs and words carry all meaning;
// bold, underline, and reverse video only emphasize it.
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

// Style is the SGR escape sequence that begins a style. For plain text, it is "".
type Style string

// Paint returns screen on the background of the theme. It sets the background again after each reset.
func (t Theme) Paint(screen string) string {
	if t.Ground == "" {
		return screen
	}
	ground := string(t.Ground)
	screen = strings.ReplaceAll(screen, Reset, Reset+ground)
	return ground + strings.ReplaceAll(screen, "\n", Reset+"\n"+ground) + Reset
}

// Reset is the escape sequence that ends all styles.
const Reset = "\x1b[m"

// Over returns a style that applies s on top of base. Properties that s does not set come from base.
func (s Style) Over(base Style) Style { return base + s }

// Write appends text in style s to b. The text must already be escaped.
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

// style returns a style with the given attributes and colors. A nil color is not changed by the style.
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

// Names of the themes in the configuration.
const (
	NameDark     = "dark"
	NameLight    = "light"
	nameContrast = "high-contrast"
)

// Choice selects a theme from the user's choices and the capabilities of the terminal.
type Choice struct {
	Name            string // the chosen theme; "" follows the terminal
	Picked          bool   // the user chose the theme with a key, in this run or an earlier run
	Dark            bool   // the background of the terminal is dark, or assumed to be dark
	BackgroundKnown bool   // the terminal has reported its background color
	Sixteen         bool   // the terminal has only 16 colors
	Plain           bool   // use no colors
}

// Names returns the names of the themes that this terminal supports.
func (c *Choice) Names() []string {
	all := []string{NameDark, NameLight}
	if !c.Sixteen {
		all = append(all, nameContrast)
	}
	return all
}

// current returns the name of the theme in use.
func (c *Choice) current() string {
	switch {
	case slices.Contains(c.Names(), c.Name):
		return c.Name
	case c.Dark && c.Name != NameLight:
		return NameDark
	}
	return NameLight
}

// FollowsTerminal reports whether the theme depends on the background color of the terminal.
func (c *Choice) FollowsTerminal() bool { return c.Name == "" || c.Picked }

// Next chooses the theme that follows the current theme.
func (c *Choice) Next() {
	all := c.Names()
	c.Name, c.Picked = all[(slices.Index(all, c.current())+1)%len(all)], true
}

// Theme returns the chosen theme, adapted to the terminal. If the user has picked the theme, and the background
// of the terminal may be different, the theme also sets the background.
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
