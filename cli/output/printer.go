// Package output prints the results of commands: texts and tables for people, JSON and its jq
// filters for programs.
package output

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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

// Head is the start of every document: its version and its kind. toolcrib schema describes
// each kind.
type Head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

// NewHead returns the head of a document of a kind.
func NewHead(kind string) Head { return Head{Schema, kind} }

// Format selects how documents are printed.
type Format struct {
	JSON, NoColor, NoPager, Accessible bool
	JQ                                 *gojq.Code // nil prints the document itself
}

// Printer prints the documents of a command.
type Printer struct {
	Env process.Env
	// Stdout is the unfiltered standard output for screens, protocols, and the workflow commands of --format github.
	// All other output goes to env.Out and env.Err, which escape workflow commands.
	Stdout io.Writer
	Form   Format
	// Running is done when the command must end.
	Running context.Context
	// Aloud writes a text one screen at a time, and reports whether it wrote the complete text. If it is nil, a pager
	// is used.
	Aloud func(text []byte) bool
	Guest bool // over SSH: without a pager
	Cut   bool // the user left the pager before the end of the output
}

// Print writes doc as JSON if requested, or calls text to write for a person. It uses the user's pager if the text is
// longer than the screen.
func (a *Printer) Print(doc any, text func(*Page)) error {
	if a.Form.JSON {
		return a.PrintJSON(doc)
	}
	p := &Page{Colour: a.Colour(), Piped: !a.Env.OutTerminal && !a.Form.Accessible, Spoken: a.Form.Accessible, aside: a.Note}
	text(p)
	if a.Aloud != nil {
		a.Cut = !a.Aloud(p.Buf.Bytes())
		return nil
	}
	if pager := a.pager(bytes.Count(p.Buf.Bytes(), []byte("\n"))); pager != nil {
		return a.throughPager(pager, p.Buf.Bytes())
	}
	_, err := a.Env.Out.Write(p.Buf.Bytes())
	return err
}

// PrintChecked prints the result of a check. It returns ErrFindings unless ok is set.
func (a *Printer) PrintChecked(doc any, ok bool, text func(*Page)) error {
	if err := a.Print(doc, text); err != nil {
		return err
	}
	return process.FindingsUnless(ok)
}

// PrintJSON writes doc on one line. It escapes hidden characters, which does not change the
// document's meaning.
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

// Colour reports whether to print colors: on terminals, unless environment variables decide. A variable that disables
// colors overrides one that enables them.
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

// Note writes a remark for people to standard error, unless the output is JSON.
func (a *Printer) Note(format string, args ...any) {
	if a.Form.JSON {
		return
	}
	WriteNote(a.Env.Err, format, args...)
}

// WriteNote writes a remark for people.
func WriteNote(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, visible.Text(Belongs(fmt.Sprintf(format, args...))))
}

// Itoa formats a number.
func Itoa(n int) string { return strconv.Itoa(n) }

// Timestamp formats a time in UTC, to the second.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Safe returns s as one line that is safe to print.
func Safe(s string) string { return visible.Line(s) }

// Mapped returns the results of to for the items of a list. It is never nil, so that an empty
// list is [] in JSON.
func Mapped[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}

// MustParse parses canonical JSON from this program.
func MustParse(b []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(b, jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("cli: canonical JSON does not parse: %v", err))
	}
	return n
}

// IsText reports whether a value is easier to read as a block than on one line.
func IsText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// Scalar formats a value on one line: a string without quotes, anything else as JSON.
func Scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// pager returns the command of the pager for a number of lines, or nil for none: PAGER, or
// less. A pager cat means none.
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

// maxPiped limits, in bytes, a single write to a pager to the size that every system writes to a pipe atomically.
const maxPiped = 512

// throughPager writes text to a pager by lines, and waits until the user leaves it. If the user leaves before the last
// line, unread text remains in the pipe. Only the pager reacts to interrupts: if this process ended first, the shell
// would take the terminal away from the pager.
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
				_, _ = to.Write(part) // returns when the pager or the code below has read all bytes
			}
		}
		_ = to.Close()
	}()
	c.Env = os.Environ()
	if a.Env.Getenv("LESS") == "" {
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as git does: with colors, and without paging short text
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // the bytes that the pager did not read
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

// SetJQ compiles the program of --jq, which filters the document of --json. The program cannot
// read files or the environment.
func (f *Format) SetJQ(text string) error {
	q, err := gojq.Parse(text)
	if err != nil {
		return err
	}
	f.JQ, err = gojq.Compile(q)
	f.JSON = f.JSON || err == nil
	return err
}

// printJQ prints the results of --jq for a document, one value on each line: strings unquoted, all other values as
// JSON.
func (a *Printer) printJQ(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // keeps the digits
	var doc any
	if err := dec.Decode(&doc); err != nil {
		return err
	}
	var out bytes.Buffer
	for values := a.Form.JQ.RunWithContext(a.Running, doc); ; {
		v, ok := values.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				break
			}
			return process.Usagef("the command succeeded, but --jq cannot print its document: %v", err)
		}
		if s, ok := v.(string); ok {
			out.WriteString(visible.Text(s) + "\n")
			continue
		}
		line, err := gojq.Marshal(v)
		if err != nil {
			return err
		}
		out.Write(append(visible.JSON(line), '\n'))
	}
	_, err := a.Env.Out.Write(out.Bytes())
	return err
}
