// This file lays out pages of text for people.

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

// Page collects text for a person. It makes untrusted text safe to print.
type Page struct {
	Buf    bytes.Buffer
	Colour bool
	Piped  bool // the output is read by another program
	Spoken bool // the output is read by a screen reader: omit long ids and digests
	// aside writes a remark that is not part of the output, if that is read by a program.
	aside func(format string, args ...any)
}

// Linef writes a line. It makes hidden characters in the arguments visible.
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

// Text writes untrusted text of several lines and puts prefix before each of them.
func (p *Page) Text(prefix, s string) {
	for line := range strings.Lines(visible.Text(s)) {
		p.Buf.WriteString(strings.TrimRight(prefix+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

func (p *Page) Blank() { p.Buf.WriteByte('\n') }

// Gap writes a blank line unless the page is empty.
func (p *Page) Gap() {
	if p.Buf.Len() > 0 {
		p.Blank()
	}
}

// Ink is a color, named by its meaning.
type Ink string

// The inks are among the eight colors that every terminal supports. Color is never the only distinction: a sign or a
// word has the same meaning.
const (
	InkNone   Ink = ""
	InkGood   Ink = "32"
	InkBad    Ink = "31"
	InkWarn   Ink = "33"
	InkFaint  Ink = "2"
	InkStrong Ink = "1"
)

// Paint returns s in color. s must be safe to print.
func (p *Page) Paint(i Ink, s string) string {
	if !p.Colour || i == InkNone {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// Raw writes a line that is already safe to print, such as a colored one.
func (p *Page) Raw(line string) { p.Buf.WriteString(line + "\n") }

// List writes the rows of a list: for people as a table, for programs separated by tabs and without a header.
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

// Remark writes a line that is not part of a list.
func (p *Page) Remark(format string, args ...any) {
	if !p.Piped {
		p.Linef(format, args...)
		return
	}
	p.aside(format, args...)
}

// Cut truncates s in a table for people.
func (p *Page) Cut(s string, width int) string {
	if p.Piped || p.Spoken {
		return s
	}
	return Cut(s, width)
}

// Table writes rows in aligned columns. For screen readers, it writes each row as a sentence, with the column's name
// before each cell.
func (p *Page) Table(header []string, rows [][]string) {
	if p.Spoken {
		for _, row := range rows {
			var cells []string
			for i, cell := range row {
				if name := strings.ToLower(header[i]); cell != "" {
					cells = append(cells, strings.TrimSpace(name+" "+visible.Line(cell)))
				}
			}
			p.Raw(strings.TrimSuffix(strings.Join(cells, ", "), ".") + ".")
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

// Cut truncates s to width terminal cells.
func Cut(s string, width int) string { return runewidth.Truncate(visible.Line(s), width, "…") }

// Age formats t: for people as an age, for programs as a timestamp.
func (p *Page) Age(t, now time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return wording.ShortAge(now.Sub(t))
}

// Day formats t: for people as a date, for programs as a timestamp.
func (p *Page) Day(t time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return t.Format(time.DateOnly)
}

// JSON writes a JSON document on several lines and puts prefix before each of them.
func (p *Page) JSON(prefix string, doc json.RawMessage) {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		text = doc
	}
	for line := range strings.Lines(string(visible.JSON(text))) {
		p.Raw(prefix + strings.TrimSuffix(line, "\n"))
	}
}
