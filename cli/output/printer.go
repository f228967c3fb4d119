// Package output prints the results of commands: text and tables for people, JSON for programs, optionally filtered
// with jq.
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

// Schema is the version of all documents. Adding fields does not change it.
const Schema = 1

// Head is the beginning of every document. The command "toolcrib schema" describes each kind.
type Head struct {
	Schema int    `json:"schema"`
	Kind   string `json:"kind"`
}

// NewHead returns the head of a document of a kind.
func NewHead(kind string) Head { return Head{Schema, kind} }

// Format specifies how documents are printed.
type Format struct {
	JSON, NoColor, NoPager, Accessible bool
	JQ                                 *gojq.Code // nil prints the whole document
}

// Printer prints the documents of a command.
type Printer struct {
	Env process.Env
	// Stdout is the unfiltered standard output, for screens, protocols, and the workflow commands of --format github.
	// Other output goes to Env.Out and Env.Err, which escape workflow commands.
	Stdout io.Writer
	Form   Format
	// Running is canceled when the command must end.
	Running context.Context
	// ReadAloud prints a text one screen at a time and reports whether it printed all of it. If it is nil, a pager is used.
	ReadAloud func(text []byte) bool
	OverSSH   bool // the user is connected over SSH and gets no pager
	Cut       bool // the user left the pager before the end of the output
}

// Print prints doc as JSON if requested; otherwise, it calls text to print it for a person, with a pager if the text is
// longer than the screen.
func (a *Printer) Print(doc any, text func(*Page)) error {
	if a.Form.JSON {
		return a.PrintJSON(doc)
	}
	p := &Page{Colour: a.Colour(), Piped: !a.Env.OutTerminal && !a.Form.Accessible, Spoken: a.Form.Accessible, aside: a.Note}
	text(p)
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

// PrintChecked prints the result of a check. It returns ErrFindings unless ok is set.
func (a *Printer) PrintChecked(doc any, ok bool, text func(*Page)) error {
	return cmp.Or(a.Print(doc, text), process.CheckFindings(ok))
}

// PrintJSON prints doc on one line. It escapes hidden characters; the value remains the same. With --jq, it prints the
// results of that program, one per line: strings without quotes, other values as JSON.
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
	dec.UseNumber() // keeps all digits
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

// Colour reports whether to print colors. By default, it does on terminals. Environment variables override this; if
// they conflict, there are no colors.
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

// Note prints a remark for people on standard error, unless the output is JSON.
func (a *Printer) Note(format string, args ...any) {
	if a.Form.JSON {
		return
	}
	WriteNote(a.Env.Err, format, args...)
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

// IsText reports whether a value is easier to read as a block than on one line.
func IsText(n *jsondoc.Node) bool {
	return n.Kind == jsondoc.String && (strings.Contains(n.Text, "\n") || len(n.Text) > 60)
}

// Scalar formats a value on one line: strings without quotes, other values as JSON.
func Scalar(n *jsondoc.Node) string {
	if n.Kind == jsondoc.String {
		return n.Text
	}
	return string(jsondoc.Canonical(n))
}

// pager returns the command of a pager for a text with the given number of lines: the value of PAGER, or less. It
// returns nil if none is to be used, for example if PAGER is cat.
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

// maxPiped limits a single write to a pager to the number of bytes that every system writes to a pipe atomically.
const maxPiped = 512

// throughPager writes text to a pager line by line, and waits until the user leaves the pager. Text that the pager has
// not read is then still in the pipe. Only the pager handles interrupts: if this process ended first, the shell would
// take the terminal away from the pager.
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
		c.Env = append(slices.Clip(c.Env), "LESS=FRX") // as git does: show colors, and exit if the text fits on the screen
	}
	err = c.Run()
	rest, _ := io.Copy(io.Discard, unread) // counts the bytes that the pager did not read
	var left *exec.ExitError
	if err == nil || c.Process != nil && errors.As(err, &left) {
		a.Cut = rest > 0
		return nil // the user has seen enough
	}
	_, err = a.Env.Out.Write(text)
	return err
}

// EntryTime is like Timestamp, but returns "" for the zero time.
func EntryTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return Timestamp(t)
}

// SetJQ compiles the program of --jq, which filters the JSON document. The program cannot read files or the
// environment.
func (f *Format) SetJQ(text string) error {
	q, err := gojq.Parse(text)
	if err != nil {
		return err
	}
	f.JQ, err = gojq.Compile(q)
	f.JSON = f.JSON || err == nil
	return err
}
