package theme

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// papers returns the backgrounds on which a theme must be readable: those of terminals by default.
func papers(th Theme) []string {
	switch {
	case th.Name == "high contrast": // paints its own background
		return []string{"#000000"}
	case th.Name == "16 colours" && th.Dark:
		return []string{"#000000"}
	case th.Name == "16 colours":
		return []string{"#ffffff"}
	case th.Dark:
		return []string{"#000000", "#1e1e1e", "#282c34"}
	}
	return []string{"#ffffff", "#fafafa"}
}

// basic are the 16 colors of xterm.
var basic = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// ratio returns the contrast of two colors, which may be basic ones.
func ratio(a, b color.Color) float64 { return contrast(exact(a), exact(b)) }

func exact(c color.Color) color.Color {
	if b, ok := c.(ansi.BasicColor); ok {
		return lipgloss.Color(basic[b])
	}
	return c
}

// worn returns the colors and attributes that a terminal would apply for a style.
func worn(s Style) uv.Style {
	screen := uv.NewScreenBuffer(1, 1)
	uv.NewStyledString(string(s)+"x").Draw(screen, screen.Bounds())
	return screen.CellAt(0, 0).Style
}

// TestContrast checks that every style of every theme meets level AA of WCAG 2.1: 4.5 for text, 3 for disabled keys.
func TestContrast(t *testing.T) {
	for _, th := range []Theme{Dark(), Light(), HighContrast(), Sixteen(true), Sixteen(false)} {
		styles := reflect.ValueOf(th)
		for i := range styles.NumField() {
			name := styles.Type().Field(i).Name
			style, ok := styles.Field(i).Interface().(Style)
			if !ok || name == "Rule" { // lines between parts of a page
				continue
			}
			w := worn(style)
			if w.Fg == nil { // backgrounds for other styles
				continue
			}
			beds := []color.Color{w.Bg}
			if w.Bg == nil {
				beds = nil
				for _, p := range papers(th) {
					beds = append(beds, lipgloss.Color(p))
				}
				for _, bed := range []Style{th.Bar, th.Selected} {
					if bg := worn(bed).Bg; bg != nil {
						beds = append(beds, bg)
					}
				}
			}
			least := 4.5
			if th.Name == "high contrast" {
				least = 7
			} else if name == "Off" {
				least = 3
			}
			for _, bed := range beds {
				if r := ratio(w.Fg, bed); r < least {
					t.Errorf("%s, dark %v: %s has a contrast of %.2f on %v, at least %.1f", th.Name, th.Dark, name, r, bed, least)
				}
			}
		}
	}
}

// TestWithoutColors checks that the plain theme distinguishes the styles that other themes distinguish by color, either
// by an attribute such as bold or by the sign that is drawn with the text.
func TestWithoutColors(t *testing.T) {
	plain := Plain()
	for _, pair := range [][2]Style{
		{plain.AddedWord, plain.Added},
		{plain.RemovedWord, plain.Removed},
		{plain.AddedWord, plain.RemovedWord},
		{plain.Hidden, plain.Text},
		{plain.Match, plain.Text},
		{plain.Mark, plain.Text},
		{plain.Selected, plain.Text},
		{plain.Off, plain.Key},
		{plain.Field, plain.Text},
	} {
		if pair[0] == pair[1] {
			t.Errorf("%q stands for two things", pair[0])
		}
	}
	styles := reflect.ValueOf(plain)
	for i := range styles.NumField() {
		if s, ok := styles.Field(i).Interface().(Style); ok {
			if w := worn(s); w.Fg != nil || w.Bg != nil || strings.Contains(string(s), "38;") {
				t.Errorf("%s has a colour: %q", styles.Type().Field(i).Name, s)
			}
		}
	}
}

// TestPaintReachesEveryCell checks that a painted background covers every cell.
func TestPaintReachesEveryCell(t *testing.T) {
	th := Light()
	var b strings.Builder
	b.WriteString("a ")
	th.Accent.Write(&b, "b")
	b.WriteString("c\n")
	th.Selected.Write(&b, "de")
	b.WriteString("  ")
	screen := uv.NewScreenBuffer(4, 2)
	uv.NewStyledString(th.Paint(b.String())).Draw(screen, screen.Bounds())
	for y := range 2 {
		for x := range 4 {
			if screen.CellAt(x, y).Style.Bg == nil {
				t.Errorf("the cell in column %d of line %d has no ground", x, y)
			}
		}
	}
	if Plain().Paint("x") != "x" {
		t.Error("the plain theme paints")
	}
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
