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

// Page collects text for a person. It makes all untrusted text safe to print.
type Page struct {
	Buf    bytes.Buffer
	Colour bool
	Piped  bool // another program reads the output
	Spoken bool // a screen reader reads the output, without long ids and digests
	// aside writes a remark outside of the output for programs.
	aside func(format string, args ...any)
}

// Linef writes one line. It makes hidden characters in the arguments visible.
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

// Ink is a color, named by its meaning.
type Ink string

// The inks use the eight colors that every terminal has. A sign or a word always has the same
// meaning as the color.
const (
	InkNone   Ink = ""
	InkGood   Ink = "32"
	InkBad    Ink = "31"
	InkWarn   Ink = "33"
	InkFaint  Ink = "2"
	InkStrong Ink = "1"
)

// Paint colors s, which must be safe to print.
func (p *Page) Paint(i Ink, s string) string {
	if !p.Colour || i == InkNone {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// Raw writes a line that is already safe, such as a painted one.
func (p *Page) Raw(line string) { p.Buf.WriteString(line + "\n") }

// List writes the rows of the requested list: as a table for people, and separated by tabs,
// without a header, for programs.
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

// Table writes rows in columns as wide as their widest cell, in terminal cells. For screen
// readers, each row is a sentence with the name of the column before each cell.
func (p *Page) Table(header []string, rows [][]string) {
	if p.Spoken {
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

// Cut truncates s to width terminal cells.
func Cut(s string, width int) string { return runewidth.Truncate(visible.Line(s), width, "…") }

// Age writes the age of t for people, and t itself for programs.
func (p *Page) Age(t, now time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return wording.ShortAge(now.Sub(t))
}

// Day writes the date of t for people, and t itself for programs.
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
