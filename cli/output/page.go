// This file defines pages of text for people, and lays out tables.

package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"

	"toolcrib/internal/lists"
	"toolcrib/internal/visible"
	"toolcrib/tui/wording"
)

// Page collects the output of a command for people. All methods except Raw and Paint make untrusted text safe to print.
type Page struct {
	Buf    bytes.Buffer
	Colour bool
	Piped  bool // another program reads the output
	Spoken bool // a screen reader reads the output: omit long ids and digests
	// aside prints a remark to standard error. It is called if another program reads the output.
	aside func(format string, args ...any)
	args  []string // arguments of the command
}

// Linef formats a line and writes it to the page. It makes hidden characters in the arguments visible.
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

// Text writes s and puts prefix before each line. It makes s safe to print.
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

// Inks are attributes that every terminal supports. The output never relies on color alone: a sign or a word conveys
// the same information.
const (
	InkNone   Ink = ""
	InkGood   Ink = "32"
	InkBad    Ink = "31"
	InkWarn   Ink = "33"
	InkFaint  Ink = "2"
	InkStrong Ink = "1"
)

// Paint returns s in the color i, or unchanged if the page has no colors. s must be safe to print.
func (p *Page) Paint(i Ink, s string) string {
	if !p.Colour || i == InkNone {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// Raw writes a line that is already safe to print, such as a line with colors.
func (p *Page) Raw(line string) { p.Buf.WriteString(line + "\n") }

// List writes rows as a table with a header. If another program reads the output, List separates the cells with tabs
// and omits the header.
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

// Remark writes a line that is not part of a list. If another program reads the output, Remark writes the line to
// standard error instead.
func (p *Page) Remark(format string, args ...any) {
	if !p.Piped {
		p.Linef(format, args...)
		return
	}
	p.aside(format, args...)
}

// Cut truncates s to at most width terminal cells. It returns s unchanged if another program or a screen reader reads
// the output.
func (p *Page) Cut(s string, width int) string {
	if p.Piped || p.Spoken {
		return s
	}
	return Cut(s, width)
}

// Table writes rows in aligned columns below a header. For a screen reader, it writes each row as a sentence, with the
// name of the column before each cell.
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

// Cut returns s as a line that is safe to print, truncated to at most width terminal cells.
func Cut(s string, width int) string { return runewidth.Truncate(visible.Line(s), width, "…") }

// Age formats t as an age for people, and as a timestamp for programs.
func (p *Page) Age(t, now time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return wording.ShortAge(now.Sub(t))
}

// Day formats t as a date for people, and as a timestamp for programs.
func (p *Page) Day(t time.Time) string {
	if p.Piped {
		return Timestamp(t)
	}
	return t.Format(time.DateOnly)
}

// CutPage returns the first limit entries of list as a page. If list has more entries, cursor is the number of the last
// entry on the page, and the next page contains the entries before that number. Otherwise, cursor is 0.
func CutPage[T any](list []T, limit int, number func(T) int64) (page []T, cursor int64) {
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], number(list[limit-1])
}

// More prints the command that prints the next page of a list as a remark: the current command with the given flag and
// cursor. It prints nothing if cursor is "" or 0.
func (p *Page) More(flag string, cursor any) {
	next := fmt.Sprint(cursor)
	if next == "" || next == "0" {
		return
	}
	args := slices.Clone(p.args)
	if at := slices.Index(args, "--"+flag); at >= 0 && at+1 < len(args) {
		args = slices.Delete(args, at, at+2)
	}
	for i, word := range args { // the URL of a database can contain a password
		if name, url, _ := strings.Cut(word, "="); name == "--db" && strings.Contains(url, "://") {
			args[i] = "--db=URL"
		} else if i > 0 && args[i-1] == "--db" && strings.Contains(word, "://") {
			args[i] = "URL"
		}
	}
	p.Remark("More: toolcrib %s", strings.Join(lists.Map(append(args, "--"+flag, next), ShellWord), " "))
}

// JSON writes doc with indentation, and puts prefix before each line.
func (p *Page) JSON(prefix string, doc json.RawMessage) {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		text = doc
	}
	for line := range strings.Lines(string(visible.JSON(text))) {
		p.Raw(prefix + strings.TrimSuffix(line, "\n"))
	}
}
