package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"toolcrib/review/rules/scan"
)

// source is a file that was read.
type source struct {
	file string
	text []byte
}

// read reads a file.
func read(fsys fs.FS, file string) (*source, error) {
	text, err := fs.ReadFile(fsys, file)
	return &source{file, text}, err
}

// each calls do with every file below root.
func each(fsys fs.FS, root string, do func(*source)) error {
	return fs.WalkDir(fsys, root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if path.Ext(file) != ".toml" {
			return fmt.Errorf("%s is not a TOML file", file)
		}
		text, err := fs.ReadFile(fsys, file)
		if err == nil {
			do(&source{file, text})
		}
		return err
	})
}

// decode reads the file into v and refuses keys that v does not have.
func (s *source) decode(v any) error {
	err := toml.NewDecoder(bytes.NewReader(s.text)).DisallowUnknownFields().Decode(v)
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var errs []error
		for _, e := range unknown.Errors {
			line, _ := e.Position()
			errs = append(errs, fmt.Errorf("%s:%d: unknown key %s", s.file, line, strings.Join(e.Key(), ".")))
		}
		return errors.Join(errs...)
	}
	if parse, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := parse.Position()
		return fmt.Errorf("%s:%d: %s", s.file, line, strings.TrimPrefix(parse.Error(), "toml: "))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	return nil
}

// entries returns the texts of a file of nothing else, in their order.
func (s *source) entries() ([]scan.Entry, error) {
	var p unstable.Parser
	p.Reset(s.text)
	var entries []scan.Entry
	seen := map[string]bool{}
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.KeyValue {
			return nil, fmt.Errorf("%s: a table stands where texts are expected", s.file)
		}
		keys := e.Key()
		keys.Next()
		key := string(keys.Node().Data)
		name := keys.Node().Raw
		line := func() int { return p.Shape(name).Start.Line } // counts from the start
		switch value := e.Value(); {
		case keys.Next() || value.Kind != unstable.String:
			return nil, fmt.Errorf("%s:%d: %s has something else than a text", s.file, line(), key)
		case seen[key]:
			return nil, fmt.Errorf("%s:%d: %s stands twice", s.file, line(), key)
		default:
			seen[key] = true
			entries = append(entries, scan.Entry{Concept: key, Words: string(value.Data)})
		}
	}
	if err := p.Error(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.file, err)
	}
	return entries, nil
}

// errorf returns an error that names the line on which text begins, the first
// time that it stands after header.
func (s *source) errorf(header, text, format string, args ...any) error {
	from := max(0, bytes.Index(s.text, []byte(header)))
	at := from + max(0, bytes.Index(s.text[from:], []byte(text)))
	if at < len(s.text) && s.text[at] == '\n' {
		at++
	}
	return fmt.Errorf("%s:%d: %w", s.file, 1+bytes.Count(s.text[:at], []byte("\n")), fmt.Errorf(format, args...))
}
