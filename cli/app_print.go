package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/anmitsu/go-shlex"
	"github.com/itchyny/gojq"
	"github.com/mattn/go-runewidth"
	"golang.org/x/term"

	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// schema is the version of every document. Fields are only ever added.
const schema = 1

// docHead begins every document: its version, and its kind by which toolcrib schema
// names it.
type docHead struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

func head(kind string) docHead { return docHead{schema, kind} }

// format says how documents are printed.
type format struct {
	json, noColor, noPager, accessible bool
	template                           *template.Template // nil prints the document itself
	jq                                 *gojq.Code         // likewise
}

// printer prints the documents of a command.
type printer struct {
	env Env
	// stdout is standard output for screens, protocols, and the workflow commands of
	// --format github. Everything else is written to env.Out and env.Err, which break
	// the commands that a CI runner would obey.
	stdout io.Writer
	form   format
	// running is done when the command is to end, for filters of what it prints.
	running context.Context
	// aloud writes a text a screen at a time, and reports whether it wrote all; nil
	// leaves that to a pager.
	aloud func(text []byte) bool
	guest bool // of a server: there is no pager, and filters have less time and space
	cut   bool // the user left the pager before the end of what was printed
}

// print writes doc as JSON when the caller asked for it, else lets text write
// for a person.
func (a *printer) print(doc any, text func(*page)) error {
	if a.form.json {
		return a.printJSON(doc)
	}
	p := &page{colour: a.colour(), piped: !a.env.OutTerminal && !a.form.accessible, spoken: a.form.accessible, aside: a.note}
	text(p)
	return a.show(p.buf.Bytes())
}

// printChecked prints the outcome of a check; errFindings unless it is ok.
func (a *printer) printChecked(doc any, ok bool, text func(*page)) error {
	if err := a.print(doc, text); err != nil {
		return err
	}
	return findingsUnless(ok)
}

// printJSON writes doc on one line. Hidden characters are escaped, so the
// document is safe to look at and means the same.
func (a *printer) printJSON(doc any) error {
	text, err := jsondoc.Encode(doc)
	if err != nil {
		return err
	}
	switch {
	case a.form.template != nil:
		return a.printTemplate(text)
	case a.form.jq != nil:
		return a.printJQ(text)
	}
	_, err = a.env.Out.Write(visible.JSON(text))
	return err
}

// colour reports whether text has colours: on terminals, unless somebody says
// otherwise. What asks for none counts more than what asks for them.
func (a *printer) colour() bool {
	if a.form.noColor || a.env.Getenv("NO_COLOR") != "" {
		return false
	}
	for _, name := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if force := a.env.Getenv(name); force != "" && force != "0" {
			return true
		}
	}
	return a.env.OutTerminal && a.env.Getenv("TERM") != "dumb" && a.env.Getenv("CLICOLOR") != "0"
}

// page collects text for a person. Everything that it is given passes the
// gate.
type page struct {
	buf    bytes.Buffer
	colour bool
	piped  bool // a program reads it
	spoken bool // a screen reader speaks it
	// aside writes a remark where a program that reads the text does not meet it.
	aside func(format string, args ...any)
}

// linef writes one line; the arguments are made visible before they are
// formatted.
func (p *page) linef(format string, args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case int, int64, bool:
		case string:
			args[i] = visible.Line(v)
		default:
			args[i] = visible.Line(fmt.Sprint(v))
		}
	}
	fmt.Fprintf(&p.buf, format+"\n", args...)
}

// text writes untrusted text of several lines, each after prefix.
func (p *page) text(prefix, s string) {
	for line := range strings.Lines(visible.Text(s)) {
		p.buf.WriteString(strings.TrimRight(prefix+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

func (p *page) blank() { p.buf.WriteByte('\n') }

// ink is a colour by its meaning.
type ink string

// The inks are the eight colours every terminal has; a sign or a word always
// says the same as the colour.
const (
	inkNone   ink = ""
	inkGood   ink = "32"
	inkBad    ink = "31"
	inkWarn   ink = "33"
	inkFaint  ink = "2"
	inkStrong ink = "1"
)

// paint colours s, which must be safe to print.
func (p *page) paint(i ink, s string) string {
	if !p.colour || i == inkNone {
		return s
	}
	return "\x1b[" + string(i) + "m" + s + "\x1b[0m"
}

// raw writes a line that is safe already, such as one with paint in it.
func (p *page) raw(line string) { p.buf.WriteString(line + "\n") }

// list writes the rows that were asked for: for a person as a table, for a program
// separated by tabs, without a header.
func (p *page) list(header []string, rows [][]string) {
	if !p.piped {
		p.table(header, rows)
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = visible.Line(row[i])
		}
		p.raw(strings.Join(row, "\t"))
	}
}

// remark writes a line that is about a list and none of it.
func (p *page) remark(format string, args ...any) {
	if !p.piped {
		p.linef(format, args...)
		return
	}
	p.aside(format, args...)
}

// cut shortens s for a person's table.
func (p *page) cut(s string, width int) string {
	if p.piped || p.spoken {
		return s
	}
	return cut(s, width)
}

// table writes rows in columns as wide as their widest cell, in terminal
// cells. A screen reader gets each row as a sentence, with the name of a column before
// its cell.
func (p *page) table(header []string, rows [][]string) {
	if p.spoken {
		for _, row := range rows {
			p.raw(spoken(header, row))
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
			line = p.paint(inkFaint, line)
		}
		p.raw(line)
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

// cut shortens s to width terminal cells.
func cut(s string, width int) string { return runewidth.Truncate(visible.Line(s), width, "…") }

// note writes a remark for a person to standard error; scripts get none.
func (a *printer) note(format string, args ...any) {
	if a.form.json {
		return
	}
	writeNote(a.env.Err, format, args...)
}

func writeNote(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, visible.Text(belongs(fmt.Sprintf(format, args...))))
}

func itoa(n int) string { return strconv.Itoa(n) }

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func safe(s string) string { return visible.Line(s) }

// mapped returns what to makes of each item of a list. It is never nil, so that an
// empty list is [] in JSON.
func mapped[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}

// mustParse reads canonical JSON of our own making.
func mustParse(b []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(b, jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("cli: canonical JSON does not parse: %v", err))
	}
	return n
}

// isText reports whether a value reads better as a block than on one line.
func isText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// scalar writes a value on one line: a string without quotes, anything else as
// JSON.
func scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// show writes text for a person, which is safe to print: through the user's pager
// where it is longer than the terminal is high.
func (a *printer) show(text []byte) error {
	if a.aloud != nil {
		a.cut = !a.aloud(text)
		return nil
	}
	if pager := a.pager(bytes.Count(text, []byte("\n"))); pager != nil {
		return a.throughPager(pager, text)
	}
	_, err := a.env.Out.Write(text)
	return err
}

// pager returns the command of the pager for a number of lines, nil for none: that of
// PAGER, else less. cat is none.
func (a *printer) pager(lines int) []string {
	screen, ok := a.stdout.(*os.File)
	if !ok || !a.env.OutTerminal || a.form.noPager || a.guest || a.env.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, height, err := term.GetSize(int(screen.Fd())); err != nil || lines < height {
		return nil
	}
	words, err := shlex.Split(cmp.Or(a.env.Getenv("PAGER"), "less"), true)
	if err != nil || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	return words
}

// throughPager hands text to a pager and waits until the user has left it. An interrupt
// is the pager's: it must not lose its terminal to a process that ends before.
func (a *printer) throughPager(pager []string, text []byte) error {
	if a.env.Hold != nil {
		defer a.env.Hold()()
	}
	c := exec.CommandContext(context.Background(), pager[0], pager[1:]...) //nolint:gosec // the user's own
	unread, to, err := os.Pipe()
	if err != nil {
		return err
	}
	defer unread.Close()
	c.Stdin, c.Stdout, c.Stderr = unread, a.stdout, a.env.Err
	go func() {
		_, _ = to.Write(text) // ends when all is read, by the pager or below
		_ = to.Close()
	}()
	c.Env = os.Environ()
	if a.env.Getenv("LESS") == "" {
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as git has it: colours, and no page for what fits
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // it counts what the pager left
	var left *exec.ExitError
	if err == nil || c.Process != nil && errors.As(err, &left) {
		a.cut = rest > 0
		return nil // the user has seen enough
	}
	_, err = a.env.Out.Write(text)
	return err
}
