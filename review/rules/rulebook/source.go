package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/BurntSushi/toml"
)

// source is a file that was read.
type source struct {
	file string
	text []byte
}

// read decodes a file into v.
func read(fsys fs.FS, file string, v any) (toml.MetaData, error) {
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return toml.MetaData{}, err
	}
	return (&source{file, text}).decode(v)
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
func (s *source) decode(v any) (toml.MetaData, error) {
	md, err := toml.Decode(string(s.text), v)
	if parse := (toml.ParseError{}); errors.As(err, &parse) {
		return md, fmt.Errorf("%s:%d: %s", s.file, parse.Position.Line, parse.Message)
	}
	if err != nil {
		return md, fmt.Errorf("%s: %w", s.file, err)
	}
	var errs []error
	for _, key := range md.Undecoded() {
		errs = append(errs, s.errorf("["+key[0], "\n"+key[len(key)-1], "unknown key %s", key))
	}
	return md, errors.Join(errs...)
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
