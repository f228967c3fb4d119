package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
)

// openFile opens a file for reading, with an error that names the fault in
// plain words.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s", name)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("no permission to read the file %s; change its mode or its owner", name)
	case err != nil:
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder; name the files in it", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// malformedError has the problems of the proposals of a file: unreadable and
// missing parts.
type malformedError struct {
	File     string
	Problems []proposals.DocumentProblem
}

func (e *malformedError) Error() string { return one(e) }

// errMalformed is wrapped by every malformedError.
var errMalformed = errors.New("malformed")

// Unwrap returns errMalformed.
func (e *malformedError) Unwrap() error { return errMalformed }

// what names the source for a person.
func (e *malformedError) what() string {
	if e.File == "-" {
		return "standard input"
	}
	return e.File
}

func (e *malformedError) lines() []string {
	return mapped(e.Problems, proposals.DocumentProblem.String)
}

// readDrafts reads the proposals of files. It reports the problems of all of them
// together; a missing part is a problem only when complete is set.
func (a *app) readDrafts(ctx context.Context, names []string, complete bool) ([]proposals.Draft, error) {
	var drafts []proposals.Draft
	var errs []error
	for _, name := range names {
		data, err := a.readAll(ctx, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parsed, err := decodeProposals(name, data, complete)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, p := range parsed {
			drafts = append(drafts, p.Draft)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return drafts, nil
}

func decodeProposals(name string, data []byte, complete bool) ([]proposals.Parsed, error) {
	parsed, err := proposals.DecodeFile(name, data)
	var bad *proposals.DecodeError
	if err != nil && !errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err == nil && !complete {
		return parsed, nil
	}
	problems := malformedError{File: name}
	if len(parsed) == 0 && bad != nil {
		problems.Problems = bad.Problems
	}
	for i, p := range parsed {
		found := p.Problems()
		if !complete {
			found = found[:min(len(p.Malformed), len(found))] // those come first
		}
		document := i + 1
		if len(parsed) == 1 {
			document = 0
		}
		for _, problem := range found {
			problems.Problems = append(problems.Problems, proposals.DocumentProblem{Document: document, Problem: problem})
		}
	}
	if len(problems.Problems) == 0 {
		return parsed, nil
	}
	return nil, &problems
}

// unreadable returns why data, which a file holds, cannot be imported.
func unreadable(file string, data []byte, err error) error {
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	if len(start) > 0 && !bytes.ContainsAny(start[:1], "{[") {
		return fmt.Errorf("%s is no JSON: import takes an MCP server's answer to tools/list, an OpenAI or Anthropic tool array, a v0 prompt file or an export of toolcrib; "+
			"use `toolcrib propose` for a proposal, and `toolcrib lint` to check a prompt%w", file, hide(err))
	}
	var ps jsondoc.Problems
	if errors.As(err, &ps) {
		return fmt.Errorf("%s cannot be imported: %w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// maxInput returns the most bytes that are read from a file or standard input: whoever
// comes in through a door shares the memory of the server.
func (a *app) maxInput() int64 {
	if a.remote != nil {
		return 16 << 20
	}
	return 64 << 20
}

// readAll reads a file, or standard input for "-". It ends with ctx, also where
// the file is a pipe that nobody writes to.
func (a *app) readAll(ctx context.Context, name string) ([]byte, error) {
	in := a.env.In
	if name != "-" && a.remote != nil {
		return nil, fmt.Errorf("%s: %w", name, errServerFile)
	}
	if name != "-" {
		f, err := beforeDone(ctx, func() (*os.File, error) { return openFile(a.path(name)) }) // a pipe may have no writer
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			in = untilDone(ctx, f)
		}
	}
	limit := a.maxInput()
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s is larger than the limit of %d MiB; split it", name, limit>>20)
	}
	return b, nil
}

// folderOf returns an error when the folder that a file is to be written into
// is not there. None is made: its name is more likely mistyped than meant.
func (a *app) folderOf(file string) error {
	dir := filepath.Dir(a.path(file))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: there is no folder %s; make it first", file, dir)
	}
	return nil
}

// path makes name relative to the working directory of env.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.env.Dir, name)
}

// confirm shows what write writes and asks a question at the terminal. Anything but y
// and yes is no, and so is the end of the input.
func (a *app) confirm(question string, write func(*page)) (bool, error) {
	p := &page{colour: a.colour()}
	write(p)
	p.buf.WriteString(question + " [y/N] ")
	if _, err := a.env.Out.Write(p.buf.Bytes()); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(a.env.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	word := strings.ToLower(strings.TrimSpace(answer))
	return word == "y" || word == "yes", nil
}

// untilDone is in, but for a Read that keeps waiting when ctx ends: an
// interrupt has to end a program that waits for somebody to type.
func untilDone(ctx context.Context, in io.Reader) io.Reader {
	return readerFunc(func(p []byte) (int, error) {
		buf := make([]byte, len(p)) // not p: a read that nobody waits for goes on
		n, err := beforeDone(ctx, func() (int, error) { return in.Read(buf) })
		return copy(p, buf[:n]), err
	})
}

// beforeDone returns what do returns, or why ctx ended before. What do opens or reads
// later than that is left to the end of the process.
func beforeDone[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	done := make(chan func() (T, error), 1)
	go func() {
		result, err := do()
		done <- func() (T, error) { return result, err }
	}()
	select {
	case <-ctx.Done():
		return result, ctx.Err()
	case returned := <-done:
		return returned()
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
