// Package output prints what commands found: texts and tables for people, JSON and
// what filters make of it for programs.
package output

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
	"time"

	"github.com/itchyny/gojq"
	"golang.org/x/term"

	"toolcrib/cli/process"
	"toolcrib/internal/visible"
	"toolcrib/registry/jsondoc"
)

// Schema is the version of every document. Fields are only ever added.
const Schema = 1

// Head begins every document: its version, and its kind by which toolcrib schema
// names it.
type Head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

// NewHead returns the head of a document of a kind.
func NewHead(kind string) Head { return Head{Schema, kind} }

// Format says how documents are printed.
type Format struct {
	JSON, NoColor, NoPager, Accessible bool
	JQ                                 *gojq.Code // nil prints the document itself
}

// Printer prints the documents of a command.
type Printer struct {
	Env process.Env
	// Stdout is standard output for screens, protocols, and the workflow commands of
	// --format github. Everything else is written to env.Out and env.Err, which break
	// the commands that a CI runner would obey.
	Stdout io.Writer
	Form   Format
	// Running is done when the command is to end, for filters of what it prints.
	Running context.Context
	// Aloud writes a text a screen at a time, and reports whether it wrote all; nil
	// leaves that to a pager.
	Aloud func(text []byte) bool
	Guest bool // of a server: there is no pager, and filters have less time and space
	Cut   bool // the user left the pager before the end of what was printed
}

// Print writes doc as JSON when the caller asked for it, else lets text write
// for a person.
func (a *Printer) Print(doc any, text func(*Page)) error {
	if a.Form.JSON {
		return a.PrintJSON(doc)
	}
	p := &Page{Colour: a.Colour(), Piped: !a.Env.OutTerminal && !a.Form.Accessible, spoken: a.Form.Accessible, aside: a.Note}
	text(p)
	return a.show(p.Buf.Bytes())
}

// PrintChecked prints the outcome of a check; errFindings unless it is ok.
func (a *Printer) PrintChecked(doc any, ok bool, text func(*Page)) error {
	if err := a.Print(doc, text); err != nil {
		return err
	}
	return process.FindingsUnless(ok)
}

// PrintJSON writes doc on one line. Hidden characters are escaped, so the
// document is safe to look at and means the same.
func (a *Printer) PrintJSON(doc any) error {
	text, err := jsondoc.Encode(doc)
	if err != nil {
		return err
	}
	if a.Form.JQ != nil {
		return a.printJQ(text)
	}
	_, err = a.Env.Out.Write(visible.JSON(text))
	return err
}

// Colour reports whether text has colours: on terminals, unless somebody says
// otherwise. What asks for none counts more than what asks for them.
func (a *Printer) Colour() bool {
	if a.Form.NoColor || a.Env.Getenv("NO_COLOR") != "" {
		return false
	}
	for _, name := range []string{"CLICOLOR_FORCE", "FORCE_COLOR"} {
		if force := a.Env.Getenv(name); force != "" && force != "0" {
			return true
		}
	}
	return a.Env.OutTerminal && a.Env.Getenv("TERM") != "dumb" && a.Env.Getenv("CLICOLOR") != "0"
}

// Note writes a remark for a person to standard error; scripts get none.
func (a *Printer) Note(format string, args ...any) {
	if a.Form.JSON {
		return
	}
	WriteNote(a.Env.Err, format, args...)
}

// WriteNote writes a remark for a person.
func WriteNote(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, visible.Text(Belongs(fmt.Sprintf(format, args...))))
}

// Itoa formats a number.
func Itoa(n int) string { return strconv.Itoa(n) }

// Timestamp formats a time in UTC, to the second.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Safe returns s as one line that is safe to print.
func Safe(s string) string { return visible.Line(s) }

// Mapped returns what to makes of each item of a list. It is never nil, so that an
// empty list is [] in JSON.
func Mapped[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}

// MustParse reads canonical JSON of our own making.
func MustParse(b []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(b, jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("cli: canonical JSON does not parse: %v", err))
	}
	return n
}

// IsText reports whether a value reads better as a block than on one line.
func IsText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// Scalar writes a value on one line: a string without quotes, anything else as
// JSON.
func Scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// show writes text for a person, which is safe to print: through the user's pager
// where it is longer than the terminal is high.
func (a *Printer) show(text []byte) error {
	if a.Aloud != nil {
		a.Cut = !a.Aloud(text)
		return nil
	}
	if pager := a.pager(bytes.Count(text, []byte("\n"))); pager != nil {
		return a.throughPager(pager, text)
	}
	_, err := a.Env.Out.Write(text)
	return err
}

// pager returns the command of the pager for a number of lines, nil for none: that of
// PAGER, else less. cat is none.
func (a *Printer) pager(lines int) []string {
	screen, ok := a.Stdout.(*os.File)
	if !ok || !a.Env.OutTerminal || a.Form.NoPager || a.Guest || a.Env.Getenv("TERM") == "dumb" {
		return nil
	}
	if _, height, err := term.GetSize(int(screen.Fd())); err != nil || lines < height {
		return nil
	}
	words, err := process.Words(cmp.Or(a.Env.Getenv("PAGER"), "less"))
	if err != nil || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	return words
}

// maxPiped limits what is written to a pager at once, in bytes: the least that systems write to
// a pipe as one piece.
const maxPiped = 512

// throughPager hands text to a pager, line by line, and waits until the user has left it. A
// pager that was left before its last line leaves the rest in the pipe. An interrupt is
// the pager's: it must not lose its terminal to a process that ends before.
func (a *Printer) throughPager(pager []string, text []byte) error {
	if a.Env.Hold != nil {
		defer a.Env.Hold()()
	}
	c := exec.CommandContext(context.Background(), pager[0], pager[1:]...) //nolint:gosec // the user's own
	unread, to, err := process.Pipe()
	if err != nil {
		return err
	}
	defer unread.Close()
	c.Stdin, c.Stdout, c.Stderr = unread, a.Stdout, a.Env.Err
	go func() {
		for line := range bytes.Lines(text) {
			for part := range slices.Chunk(line, maxPiped) {
				_, _ = to.Write(part) // ends when all is read, by the pager or below
			}
		}
		_ = to.Close()
	}()
	c.Env = os.Environ()
	if a.Env.Getenv("LESS") == "" {
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as git has it: colours, and no page for what fits
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // it counts what the pager left
	var left *exec.ExitError
	if err == nil || c.Process != nil && errors.As(err, &left) {
		a.Cut = rest > 0
		return nil // the user has seen enough
	}
	_, err = a.Env.Out.Write(text)
	return err
}

// EntryTime is Timestamp, but empty for no time.
func EntryTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Timestamp(t)
}
