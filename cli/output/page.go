package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"toolcrib/internal/visible"
	"toolcrib/tui/wording"
)

// Page collects text for a person. Everything that it is given passes the
// gate.
type Page struct {
	Buf    bytes.Buffer
	Colour bool
	Piped  bool // a program reads it
	spoken bool // a screen reader speaks it
	// aside writes a remark where a program that reads the text does not meet it.
	aside func(format string, args ...any)
}

// Linef writes one line; the arguments are made visible before they are
// formatted.
func (p *Page) Linef(format string, args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case int, int64, bool:
		case string:
			args[i] = visible.Line(v)
		default:
			args[i] = visible.Line(fmt.Sprint(v))
		}
	}
	fmt.Fprintf(&p.Buf, format+"\n", args...)
}

// Text writes untrusted text of several lines, each after prefix.
func (p *Page) Text(prefix, s string) {
	for line := range strings.Lines(visible.Text(s)) {
		p.Buf.WriteString(strings.TrimRight(prefix+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

func (p *Page) Blank() { p.Buf.WriteByte('\n') }

// Ink is a colour by its meaning.
type Ink string

// The inks are the eight colours every terminal has; a sign or a word always
// says the same as the colour.
const (
	InkNone   Ink = ""
	InkGood   Ink = "32"
	InkBad    Ink = "31"
	InkWarn   Ink = "33"
	InkFaint  Ink = "2"
	InkStrong Ink = "1"
)

// Paint colours s, which must be safe to print.
func (p *Page) Paint(i Ink, s string) string {
	if !p.Colour || i == InkNone {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// Raw writes a line that is safe already, such as one with paint in it.
func (p *Page) Raw(line string) { p.Buf.WriteString(line + "\n") }

// List writes the rows that were asked for: for a person as a table, for a program
// separated by tabs, without a header.
func (p *Page) List(header []string, rows [][]string) {
	if !p.Piped {
		p.Table(header, rows)
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		p.Raw(strings.Join(row, "\t"))
	}
}

// Remark writes a line that is about a list and none of it.
func (p *Page) Remark(format string, args ...any) {
	if !p.Piped {
		p.Linef(format, args...)
		return
	}
	p.aside(format, args...)
}

// Cut shortens s for a person's table.
func (p *Page) Cut(s string, width int) string {
	if p.Piped || p.spoken {
		return s
	}
	return Cut(s, width)
}

// Table writes rows in columns as wide as their widest cell, in terminal
// cells. A screen reader gets each row as a sentence, with the name of a column before
// its cell.
func (p *Page) Table(header []string, rows [][]string) {
	if p.spoken {
		for _, row := range rows {
			p.Raw(spoken(header, row))
		}
		return
	}
	widths := make([]int, len(header))
	all := append([][]string{header}, rows...)
	for _, row := range all {
		for i := range row {
			row[i] = visible.Line(row[i])
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
		}
	}
	for n, row := range all {
		var b strings.Builder
		for i, cell := range row {
			if i == len(row)-1 {
				b.WriteString(cell)
				break
			}
			b.WriteString(cell + strings.Repeat(" ", widths[i]-runewidth.StringWidth(cell)+2))
		}
		line := strings.TrimRight(b.String(), " ")
		if n == 0 {
			line = p.Paint(InkFaint, line)
		}
		p.Raw(line)
	}
}

func spoken(header, row []string) string {
	var cells []string
	for i, cell := range row {
		if name := strings.ToLower(header[i]); cell != "" {
			cells = append(cells, strings.TrimSpace(name+" "+visible.Line(cell)))
		}
	}
	return strings.TrimSuffix(strings.Join(cells, ", "), ".") + "."
}

// Cut shortens s to width terminal cells.
func Cut(s string, width int) string { return runewidth.Truncate(visible.Line(s), width, "…") }

// Age writes how long ago t was, for a program the time itself.
func (p *Page) Age(t, now time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return wording.ShortAge(now.Sub(t))
}

// Day writes the date of t, for a program the time.
func (p *Page) Day(t time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return t.Format(time.DateOnly)
}

// JSON writes a JSON document over several lines, each after prefix.
func (p *Page) JSON(prefix string, doc json.RawMessage) {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		text = doc
	}
	for line := range strings.Lines(string(visible.JSON(text))) {
		p.Raw(prefix + strings.TrimSuffix(line, "\n"))
	}
}
