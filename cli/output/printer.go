// Package output prints the results of commands. It prints text and tables for people, and JSON for programs. A jq
// program can filter the JSON.
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

// Schema is the version of all JSON documents. It remains the same when fields are added.
const Schema = 1

// Head contains the first fields of every JSON document. The schema command prints the schema of each kind of
// document.
type Head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

// NewHead returns the head of a document of the given kind.
func NewHead(kind string) Head { return Head{Schema, kind} }

// Format specifies the output format of a command.
type Format struct {
	JSON, NoColor, NoPager, Accessible bool
	JQ                                 *gojq.Code // program that filters the document; nil prints the whole document
}

// Printer prints the documents of a command.
type Printer struct {
	Env process.Env
	// Stdout is the unfiltered standard output, for screens, protocols, and --format github. All other output is
	// written to Env.Out and Env.Err, which escape the workflow commands of CI systems.
	Stdout io.Writer
	Form   Format
	// Running is canceled when the command must stop.
	Running context.Context
	// ReadAloud prints a text screen by screen and reports whether it printed the whole text. If ReadAloud is nil, long
	// texts are shown in a pager.
	ReadAloud func(text []byte) bool
	OverSSH   bool // the user is connected over SSH, so no pager is started
	Cut       bool // the user closed the pager before the end of the output
}

// Print prints doc as JSON if the user requested JSON. Otherwise, it calls writeText and prints the resulting page. If
// the text is longer than the screen, Print shows it in a pager.
func (a *Printer) Print(doc any, writeText func(*Page)) error {
	if a.Form.JSON {
		return a.PrintJSON(doc)
	}
	p := &Page{Colour: a.Colour(), Piped: !a.Env.OutTerminal && !a.Form.Accessible, Spoken: a.Form.Accessible, aside: a.Note, args: a.Env.Args}
	writeText(p)
	if a.ReadAloud != nil {
		a.Cut = !a.ReadAloud(p.Buf.Bytes())
		return nil
	}
	if pager := a.pager(bytes.Count(p.Buf.Bytes(), []byte("\n"))); pager != nil {
		return a.throughPager(pager, p.Buf.Bytes())
	}
	_, err := a.Env.Out.Write(p.Buf.Bytes())
	return err
}

// PrintChecked prints the result of a check. It returns ErrFindings if ok is false.
func (a *Printer) PrintChecked(doc any, ok bool, text func(*Page)) error {
	return cmp.Or(a.Print(doc, text), process.CheckFindings(ok))
}

// PrintJSON prints doc on one line and escapes hidden characters in strings. With --jq, it prints each result of the jq
// program on a separate line: strings without quotes, and other values as JSON.
func (a *Printer) PrintJSON(doc any) error {
	text, err := jsondoc.Encode(doc)
	if err != nil {
		return err
	}
	if a.Form.JQ == nil {
		_, err = a.Env.Out.Write(visible.JSON(text))
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // keeps all digits of numbers
	var value any
	if err := dec.Decode(&value); err != nil {
		return err
	}
	var out bytes.Buffer
	for results := a.Form.JQ.RunWithContext(a.Running, value); ; {
		v, ok := results.Next()
		if !ok {
			break
		}
		if err, failed := v.(error); failed {
			if halt, ok := errors.AsType[*gojq.HaltError](err); ok && halt.Value() == nil {
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
	_, err = a.Env.Out.Write(out.Bytes())
	return err
}

// Colour reports whether to print colors. By default, colors are printed on terminals. Environment variables override
// this default. If they conflict, Colour returns false.
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

// Note prints a remark for people to standard error. It prints nothing if the output is JSON.
func (a *Printer) Note(format string, args ...any) {
	if a.Form.JSON {
		return
	}
	WriteNote(a.Env.Err, format, args...)
}

// Tell is like Note, but prints only to a terminal. It reports that a command without output succeeded.
func (a *Printer) Tell(format string, args ...any) {
	if a.Env.ErrTerminal {
		a.Note(format, args...)
	}
}

// WriteNote writes a remark for people to w.
func WriteNote(w io.Writer, format string, args ...any) {
	fmt.Fprintln(w, visible.Text(IndentRest(fmt.Sprintf(format, args...))))
}

func Itoa(n int) string { return strconv.Itoa(n) }

// Timestamp formats a time in UTC, to the second.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Safe returns s as one line that is safe to print.
func Safe(s string) string { return visible.Line(s) }

// IsText reports whether n is a string that is easier to read as a block of text than on one line.
func IsText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// Scalar formats n on one line: a string without quotes, and any other value as JSON.
func Scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// pager returns the command line of the pager for a text with the given number of lines: the value of PAGER, or "less"
// if PAGER is not set. It returns nil if the text fits on the screen, or if the user wants no pager, for example if
// PAGER is "cat".
func (a *Printer) pager(lines int) []string {
	screen, ok := a.Stdout.(*os.File)
	if !ok || !a.Env.OutTerminal || a.Form.NoPager || a.OverSSH || a.Env.Getenv("TERM") == "dumb" {
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

// maxPiped is the maximum size of a write to the pager. Every system writes this many bytes to a pipe atomically.
const maxPiped = 512

// throughPager writes text to a pager and waits until the user exits the pager. It writes line by line, because the
// text that the pager has not read must remain in the pipe: if any text remains there at the end, throughPager sets
// Cut. While the pager runs, only the pager handles interrupts. If this process exited first, the shell would take the
// terminal away from the pager.
func (a *Printer) throughPager(pager []string, text []byte) error {
	if a.Env.Hold != nil {
		defer a.Env.Hold()()
	}
	c := exec.CommandContext(context.Background(), pager[0], pager[1:]...) //nolint:gosec // the user's environment specifies the command
	unread, to, err := process.Pipe()
	if err != nil {
		return err
	}
	defer unread.Close()
	c.Stdin, c.Stdout, c.Stderr = unread, a.Stdout, a.Env.Err
	go func() {
		for line := range bytes.Lines(text) {
			for part := range slices.Chunk(line, maxPiped) {
				_, _ = to.Write(part) // blocks until the pager, or the code below, reads the data
			}
		}
		_ = to.Close()
	}()
	c.Env = os.Environ()
	if a.Env.Getenv("LESS") == "" {
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as Git does: show colors, and exit if the text fits on the screen
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // the pager did not read these bytes
	var left *exec.ExitError
	if err == nil || c.Process != nil && errors.As(err, &left) {
		a.Cut = rest > 0
		return nil // exiting the pager before the end is not an error
	}
	_, err = a.Env.Out.Write(text)
	return err
}

// EntryTime formats t like Timestamp, but returns "" for the zero time.
func EntryTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Timestamp(t)
}

// SetJQ compiles a jq program and selects JSON output. The program filters the JSON document. It cannot read files or
// the environment.
func (f *Format) SetJQ(program string) error {
	q, err := gojq.Parse(program)
	if err != nil {
		return err
	}
	f.JQ, err = gojq.Compile(q)
	f.JSON = f.JSON || err == nil
	return err
}
