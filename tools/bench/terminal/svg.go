package terminal

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Paper is the background of a picture of a screen.
type Paper struct {
	Text, Back color.Color // defaults of cells without a color
	Frame      color.Color // around the window
	Basic      [16]color.Color
}

// Sizes of cells, in units of the picture.
const (
	cellWidth  = 8.4
	cellHeight = 18
	fontSize   = 14
	margin     = 14
)

// SVG draws a styled screen as an SVG file: text stays text, so that it can be
// selected, searched and read aloud.
func SVG(styled string, width, height int, paper Paper) string {
	screen := cells(styled, width, height)
	p := picture{paper: paper}
	var body strings.Builder
	for y := range height {
		p.line(&body, screen, y, width, margin+cellHeight*y)
	}
	var b strings.Builder
	p.open(&b, width, height, "")
	b.WriteString(body.String())
	b.WriteString("</svg>\n")
	return b.String()
}

// cells reads a styled screen.
func cells(styled string, width, height int) uv.ScreenBuffer {
	screen := uv.NewScreenBuffer(width, height)
	screen.Method = ansi.GraphemeWidth
	lines := strings.Split(strings.TrimRight(styled, "\n"), "\n")
	uv.NewStyledString(strings.Join(lines, "\n")).Draw(screen, screen.Bounds())
	for y, line := range lines {
		fillOut(screen, y, ansi.StringWidth(line), width)
	}
	return screen
}

// open begins a picture of width by height cells, with its styles and more of them.
func (p *picture) open(b *strings.Builder, width, height int, more string) {
	w, h := 2*margin+cellWidth*float64(width), 2*margin+cellHeight*height
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 %.0f %d" width="%.0f" height="%d">`+"\n", w, h, w, h)
	fmt.Fprintf(b, "<style>text{font:%dpx ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:%s}%s%s</style>\n",
		fontSize, hexOf(p.paper.Text), p.classes(), more)
	fmt.Fprintf(b, `<rect x=".5" y=".5" width="%.0f" height="%d" rx="9" fill="%s" stroke="%s"/>`+"\n", w-1, h-1, hexOf(p.paper.Back), hexOf(p.paper.Frame))
}

// fillOut sets the background of the cells after the end of a captured line, because tmux omits cells that were erased
// with a color. A filled line begins and ends with a blank in its background color; a line with only a colored word or
// a filled part does not.
func fillOut(screen uv.ScreenBuffer, y, from, width int) {
	if last := screen.CellAt(from-1, y); last == nil || last.Style.Bg == nil {
		return
	}
	for x := range from {
		first := screen.CellAt(x, y)
		if first == nil || first.Style.Bg == nil {
			continue
		}
		if first.Content == " " || first.Content == "▌" {
			for x := from; x < width; x++ {
				screen.SetCell(x, y, &uv.Cell{Content: " ", Width: 1, Style: uv.Style{Bg: first.Style.Bg}})
			}
		}
		return
	}
}

// picture collects the styles that its texts have.
type picture struct {
	paper  Paper
	styles []string
}

// class returns the class of a style sheet's rule, "" for none.
func (p *picture) class(css string) string {
	if css == "" {
		return ""
	}
	i := slices.Index(p.styles, css)
	if i < 0 {
		i = len(p.styles)
		p.styles = append(p.styles, css)
	}
	return fmt.Sprintf(` class="s%d"`, i)
}

func (p *picture) classes() string {
	var b strings.Builder
	for i, css := range p.styles {
		fmt.Fprintf(&b, ".s%d{%s}", i, css)
	}
	return b.String()
}

// line draws row y at a height of the picture: backgrounds first, then the text, in runs
// of one style.
func (p *picture) line(b *strings.Builder, screen uv.ScreenBuffer, y, width, top int) {
	var text strings.Builder
	for x := 0; x < width; {
		cell := screen.CellAt(x, y)
		if cell == nil {
			x++
			continue
		}
		style, from, run := cell.Style, x, ""
		for x < width {
			cell = screen.CellAt(x, y)
			if cell == nil || !cell.Style.Equal(&style) || run != "" && (cell.Width > 1 || len(cell.Content) > 3) {
				break
			}
			run += cell.Content
			x += max(1, cell.Width)
			if cell.Width > 1 || len(cell.Content) > 3 { // fonts differ in their width, so it is drawn alone
				break
			}
		}
		fg, bg := p.colours(style)
		if bg != nil {
			fmt.Fprintf(b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n", margin+cellWidth*float64(from), top, cellWidth*float64(x-from), cellHeight, hexOf(bg))
		}
		blank := strings.TrimLeft(run, " ")
		from += len(run) - len(blank)
		if run = strings.TrimRight(blank, " "); run == "" {
			continue
		}
		cells := ansi.StringWidth(run)
		fmt.Fprintf(&text, `<tspan x="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs"%s>`,
			margin+cellWidth*float64(from), cellWidth*float64(cells), p.class(css(style, fg)))
		_ = xml.EscapeText(&text, []byte(run)) // writing to a strings.Builder cannot fail
		text.WriteString("</tspan>")
	}
	if text.Len() > 0 {
		fmt.Fprintf(b, `<text y="%d">%s</text>`+"\n", top+13, text.String())
	}
}

// colours returns the colours of a style, nil for the paper's.
func (p *picture) colours(s uv.Style) (fg, bg color.Color) {
	fg, bg = p.basic(s.Fg), p.basic(s.Bg)
	if s.Attrs&uv.AttrReverse != 0 {
		if fg == nil {
			fg = p.paper.Text
		}
		if bg == nil {
			bg = p.paper.Back
		}
		fg, bg = bg, fg
	}
	return fg, bg
}

func (p *picture) basic(c color.Color) color.Color {
	if b, ok := c.(ansi.BasicColor); ok {
		return p.paper.Basic[b]
	}
	return c
}

func css(s uv.Style, fg color.Color) string {
	var out []string
	if fg != nil {
		out = append(out, "fill:"+hexOf(fg))
	}
	if s.Attrs&uv.AttrBold != 0 {
		out = append(out, "font-weight:700")
	}
	if s.Attrs&uv.AttrItalic != 0 {
		out = append(out, "font-style:italic")
	}
	if s.Attrs&uv.AttrFaint != 0 {
		out = append(out, "fill-opacity:.6")
	}
	switch {
	case s.Underline != ansi.UnderlineNone:
		out = append(out, "text-decoration:underline")
	case s.Attrs&uv.AttrStrikethrough != 0:
		out = append(out, "text-decoration:line-through")
	}
	return strings.Join(out, ";")
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// Dark is the paper of a dark terminal as most have it.
func Dark() Paper { return paper(0xd8dee9, 0x1b1e25, 0x3b4252) }

func paper(text, back, frame uint32) Paper {
	p := Paper{Text: rgb(text), Back: rgb(back), Frame: rgb(frame)}
	for i, c := range [16]uint32{
		0x000000, 0xcd3131, 0x0dbc79, 0xb8a60f, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5,
		0x666666, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xffffff,
	} {
		p.Basic[i] = rgb(c)
	}
	return p
}

func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16 & 0xff), G: uint8(v >> 8 & 0xff), B: uint8(v & 0xff), A: 0xff}
}
