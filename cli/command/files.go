package command

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

	"toolcrib/cli/output"
	"toolcrib/cli/process"
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

// ReadDrafts reads the proposals of files. It reports the problems of all of them
// together; a missing part is a problem only when complete is set.
func (a *App) ReadDrafts(ctx context.Context, names []string, complete bool) ([]proposals.Draft, error) {
	var drafts []proposals.Draft
	var errs []error
	for _, name := range names {
		data, err := a.ReadAll(ctx, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		parsed, err := DecodeProposals(name, data, complete)
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

// DecodeProposals reads the proposals of a file; complete ones alone where that is asked for.
func DecodeProposals(name string, data []byte, complete bool) ([]proposals.Parsed, error) {
	parsed, err := proposals.DecodeFile(name, data)
	var bad *proposals.DecodeError
	if err != nil && !errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err == nil && !complete {
		return parsed, nil
	}
	problems := output.MalformedError{File: name}
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

// Unreadable returns why data, which a file holds, cannot be imported.
func Unreadable(file string, data []byte, err error) error {
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	if len(start) > 0 && !bytes.ContainsAny(start[:1], "{[") {
		return fmt.Errorf("%s is no JSON: import takes an MCP server's answer to tools/list, an OpenAI or Anthropic tool array, a v0 prompt file or an export of toolcrib; "+
			"use `toolcrib propose` for a proposal, and `toolcrib lint` to check a prompt%w", file, process.Hide(err))
	}
	var ps jsondoc.Problems
	if errors.As(err, &ps) {
		return fmt.Errorf("%s cannot be imported: %w", file, err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// maxInput returns the most bytes that are read from a file or standard input: whoever
// comes in through a door shares the memory of the server.
func (a *App) maxInput() int64 {
	if a.Remote != nil {
		return 16 << 20
	}
	return 64 << 20
}

// ReadAll reads a file, or standard input for "-". It ends with ctx, also where
// the file is a pipe that nobody writes to.
func (a *App) ReadAll(ctx context.Context, name string) ([]byte, error) {
	in := a.Env.In
	if name != "-" && a.Remote != nil {
		return nil, fmt.Errorf("%s: %w", name, ErrServerFile)
	}
	if name != "-" {
		f, err := process.BeforeDone(ctx, func() (*os.File, error) { return openFile(a.Path(name)) }) // a pipe may have no writer
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			in = process.UntilDone(ctx, f)
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

// FolderOf returns an error when the folder that a file is to be written into
// is not there. None is made: its name is more likely mistyped than meant.
func (a *App) FolderOf(file string) error {
	dir := filepath.Dir(a.Path(file))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: there is no folder %s; make it first", file, dir)
	}
	return nil
}

// Path makes name relative to the working directory of env.
func (a *App) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Env.Dir, name)
}

// Confirm shows what write writes and asks a question at the terminal. Anything but y
// and yes is no, and so is the end of the input.
func (a *App) Confirm(question string, write func(*output.Page)) (bool, error) {
	p := &output.Page{Colour: a.Colour()}
	write(p)
	p.Buf.WriteString(question + " [y/N] ")
	if _, err := a.Env.Out.Write(p.Buf.Bytes()); err != nil {
		return false, err
	}
	answer, err := bufio.NewReader(a.Env.In).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	word := strings.ToLower(strings.TrimSpace(answer))
	return word == "y" || word == "yes", nil
}
