package theme

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
)

// Base is the configuration key that names the theme whose colors the user changes.
const Base = "base"

// colours returns pointers to the colors of a palette by configuration key.
func (p *palette) colours() map[string]*color.Color {
	return map[string]*color.Color{
		"ground": &p.ground, "text": &p.text, "faint": &p.faint, "rule": &p.rule, "off": &p.off, "accent": &p.accent,
		"good": &p.good, "warn": &p.warn, "bad": &p.bad, "info": &p.info, "bar": &p.bar, "selected": &p.selected,
		"added": &p.added, "removed": &p.removed, "added_word": &p.addedWord, "removed_word": &p.removedWord,
		"hidden_text": &p.hiddenText, "hidden": &p.hidden, "match_text": &p.matchText, "match": &p.match, "mark_text": &p.markText, "mark": &p.markBed,
	}
}

// Colours returns the configuration keys of colors.
func Colours() []string { return slices.Sorted(maps.Keys(new(palette).colours())) }

var hex = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// Custom returns a theme with the user's colors, by key, over those of the base theme: dark (the default) or light. It
// refuses unreadable colors, because a setting must not hide what is under review.
func Custom(colours map[string]string) (Theme, error) {
	p, isDark := dark(), true
	switch base := colours[Base]; base {
	case "", "dark":
	case "light":
		p, isDark = light(), false
	default:
		return Theme{}, fmt.Errorf("unknown base %q: use dark or light", base)
	}
	known := p.colours()
	for _, name := range slices.Sorted(maps.Keys(colours)) {
		value := colours[name]
		switch to := known[name]; {
		case name == Base:
		case to == nil:
			return Theme{}, fmt.Errorf("unknown color %q: use base, or one of %s", name, strings.Join(Colours(), ", "))
		case !hex.MatchString(value):
			return Theme{}, fmt.Errorf("%s must be a color like #d8dee9 (got %q)", name, value)
		default:
			*to = lipgloss.Color(value)
		}
	}
	return p.theme("own", isDark), p.readable()
}

// minContrast is the minimum contrast of the user's colors with their background, by WCAG 2.1.
const minContrast = 3

// readable returns an error that names the first unreadable color.
func (p *palette) readable() error {
	all := p.colours()
	for _, pair := range [][2]string{
		{"text", "ground"},
		{"faint", "ground"},
		{"accent", "ground"},
		{"good", "ground"},
		{"warn", "ground"},
		{"bad", "ground"},
		{"info", "ground"},
		{"text", "bar"},
		{"text", "selected"},
		{"faint", "selected"},
		{"text", "added"},
		{"text", "removed"},
		{"text", "added_word"},
		{"text", "removed_word"},
		{"hidden_text", "hidden"},
		{"match_text", "match"},
		{"mark_text", "mark"},
	} {
		if c := contrast(*all[pair[0]], *all[pair[1]]); c < minContrast {
			return fmt.Errorf("%s has a contrast of %.1f on %s; the minimum is %d", pair[0], c, pair[1], minContrast)
		}
	}
	return nil
}

// contrast returns the contrast of two colors by WCAG 2.1, from 1 to 21.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}
