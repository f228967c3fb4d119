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

// open reads a file.
func open(fsys fs.FS, file string) (*source, error) {
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
		s, err := open(fsys, file)
		if err == nil {
			do(s)
		}
		return err
	})
}

// decode reads the file into v and refuses keys that v does not have.
func (s *source) decode(v any) error {
	err := toml.NewDecoder(bytes.NewReader(s.text)).DisallowUnknownFields().Decode(v)
	if unknown := (&toml.StrictMissingError{}); errors.As(err, &unknown) {
		var errs []error
		for _, e := range unknown.Errors {
			line, _ := e.Position()
			errs = append(errs, fmt.Errorf("%s:%d: unknown key %s", s.file, line, strings.Join(e.Key(), ".")))
		}
		return errors.Join(errs...)
	}
	return s.placed(err)
}

// placed names the file and the line of an error of the decoder.
func (s *source) placed(err error) error {
	if bad := (&toml.DecodeError{}); errors.As(err, &bad) {
		line, _ := bad.Position()
		return fmt.Errorf("%s:%d: %w", s.file, line, err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.file, err)
	}
	return nil
}

// entries returns the concepts of a file of the lexicon in its order, which numbers
// them.
func (s *source) entries() ([]scan.Entry, error) {
	words := map[string]string{}
	if err := s.decode(&words); err != nil {
		return nil, err
	}
	list := make([]scan.Entry, 0, len(words))
	var p unstable.Parser
	p.Reset(s.text)
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.KeyValue {
			for keys := e.Key(); keys.Next(); {
				concept := string(keys.Node().Data)
				list = append(list, scan.Entry{Concept: concept, Words: words[concept]})
			}
		}
	}
	return list, s.placed(p.Error())
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
