// This file reads input files and reports errors in them.

package command

import (
	"bufio"
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
	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// ReadError returns an error for users that describes why a file or a folder cannot be read. err is the original error,
// kind is "file" or "folder", and path is the path that the user gave.
func ReadError(kind, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return proposals.Reason(proposals.ErrNotFound, "%s %s not found; check the path", kind, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %s cannot be read; change its mode or its owner", kind, path)
	}
	return err
}

// ReadDrafts reads proposals from the named files. If there are problems, the error lists the problems of all files. A
// missing part of a proposal is a problem only if complete is set.
func (a *App) ReadDrafts(ctx context.Context, names []string, complete bool) ([]proposals.Draft, error) {
	var drafts []proposals.Draft
	var errs []error
	for _, name := range names {
		data, err := a.ReadAll(ctx, name)
		var parsed []proposals.Parsed
		if err == nil {
			parsed, err = DecodeProposals(name, data, complete)
		}
		errs = append(errs, err)
		for _, p := range parsed {
			drafts = append(drafts, p.Draft)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return drafts, nil
}

// DecodeProposals parses the proposals in data, the content of the file called name. A missing part of a proposal is a
// problem only if complete is set.
func DecodeProposals(name string, data []byte, complete bool) ([]proposals.Parsed, error) {
	parsed, err := proposals.DecodeFile(name, data)
	var bad *proposals.DecodeError
	if err != nil && !errors.As(err, &bad) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if list, listErr := wire.Decode(data); bad != nil && listErr == nil && list.Format != wire.Names {
		return nil, process.Usagef("%s is a list of tools (%s), not a proposal; import it: toolcrib import %s", name, string(list.Format), output.ShellWord(name))
	}
	if n, other := jsondoc.Parse(data, jsondoc.DefaultLimits); bad != nil && other == nil && wire.OtherType(n) != "" && n.Get("subject") == nil && n.Get("definition") == nil {
		return nil, process.Usagef("%s is not a proposal: it is %s", name, wire.OtherType(n))
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
			found = found[:min(len(p.Malformed), len(found))] // drop missing parts, which come last
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

// ReadAll reads the named file, or standard input if name is "-". When ctx is done, ReadAll returns even if the file is
// a pipe without a writer.
func (a *App) ReadAll(ctx context.Context, name string) ([]byte, error) {
	in := a.Env.In
	if name != "-" && a.Remote != nil {
		return nil, fmt.Errorf("%s: %w", name, ErrServerFile)
	}
	if name != "-" {
		f, err := process.BeforeDone(ctx, func() (*os.File, error) { return os.Open(a.Path(name)) }) // opening a pipe without a writer blocks
		if err != nil {
			return nil, ReadError("file", name, err)
		}
		defer f.Close()
		in = f
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; specify its files", name)
		} else if err != nil || !info.Mode().IsRegular() {
			in = process.UntilDone(ctx, f)
		}
	}
	limit := int64(64 << 20)
	if a.Remote != nil { // the server's memory is shared
		limit = 16 << 20
	}
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s is larger than the limit of %d MiB; split it", name, limit>>20)
	}
	return b, nil
}

// FolderOf returns an error if the folder of an output file does not exist. It does not create the folder, because the
// user may have mistyped the name of the folder.
func (a *App) FolderOf(file string) error {
	dir := filepath.Dir(a.Path(file))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: folder %s not found; create it first", file, dir)
	}
	return nil
}

// Path resolves a relative path against the working directory of the environment.
func (a *App) Path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(a.Env.Dir, name)
}

// Asks reports whether Confirm can prompt the user, which requires a terminal and output that is not JSON.
func (a *App) Asks() bool { return !a.Form.JSON && a.Env.InTerminal && a.Env.OutTerminal }

// Confirm prints a page with the output of write, followed by the question. It returns true only if the user enters "y"
// or "yes". If it cannot prompt the user, it returns a usage error.
func (a *App) Confirm(question string, write func(*output.Page)) (bool, error) {
	if !a.Asks() {
		return false, process.Usagef("toolcrib cannot ask %q without a terminal or with --json; to answer yes, add --yes", question)
	}
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

// WriteDraft writes a draft to a new file, in the format that the name of the file implies. If file is "-", WriteDraft
// writes JSON to standard output, because Markdown cannot show hidden characters.
func (a *App) WriteDraft(d proposals.Draft, file string) error {
	text := d.JSON()
	if file == "-" {
		_, err := a.Env.Out.Write(visible.JSON(text))
		return err
	}
	if err := a.FolderOf(file); err != nil {
		return err
	}
	if strings.HasSuffix(strings.ToLower(file), ".md") || strings.HasSuffix(strings.ToLower(file), ".markdown") {
		var err error
		if text, err = d.Markdown(); err != nil {
			return fmt.Errorf("%s: %w; use a .json file instead", file, err)
		}
	}
	f, err := os.OpenFile(a.Path(file), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		if os.IsExist(err) {
			return process.Usagef("%s already exists; choose another file name", file)
		}
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
