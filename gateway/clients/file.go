package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// File is a configuration file as it was read.
type File struct {
	Client   string // the id
	Scope    Scope
	Path     string
	Target   string // where it really is, if a symbolic link leads elsewhere
	Servers  []Server
	Problems []Problem

	dialect dialect
	keys    [][]string
	data    []byte
	root    *node        // nil where the file could not be read
	lines   []expression // of TOML
	held    []holder
	unclear bool // a name on the way to the servers is there twice
}

// holder is a value that holds servers.
type holder struct {
	path   []string
	value  *node
	parent *node
}

// digest returns a SHA-256 in hexadecimal.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Parse reads data as the file of a client at path, which need not exist: the
// client decides what its servers are called, the name how the file is written.
func Parse(client, path string, data []byte) (File, error) {
	for _, c := range All() {
		if c.ID != client {
			continue
		}
		at := c.places[0]
		for _, l := range c.places {
			rest := l.path[strings.IndexByte(l.path, '}')+1:]
			if rest != "" && strings.HasSuffix(filepath.ToSlash(path), rest) {
				at = l
			}
		}
		return newFile(c, at, path, data), nil
	}
	return File{}, fmt.Errorf("no client %q", client)
}

func newFile(c Client, l location, path string, data []byte) File {
	f := File{Client: c.ID, Scope: l.scope(), Path: path, dialect: c.dialect, keys: l.keys, data: data}
	if f.keys == nil {
		f.keys = c.dialect.keys
	}
	if len(bytes.TrimSpace(data)) == 0 {
		f.root = &node{}
		return f
	}
	var err error
	switch filepath.Ext(path) {
	case ".toml":
		f.root, f.lines, err = parseTOML(data)
	case ".yaml", ".yml":
		f.root, err = parseYAML(data)
	default:
		f.root, err = parseJSON(data)
	}
	if err != nil {
		f.root = nil
		p, ok := errors.AsType[Problem](err)
		if !ok {
			p.Text = err.Error()
		}
		f.problem(p)
		return f
	}
	f.find()
	return f
}

func (f *File) problem(p Problem) {
	p.Path = f.Path
	f.Problems = append(f.Problems, p)
}

// find reads the servers.
func (f *File) find() {
	for _, keys := range f.keys {
		f.descend(holder{value: f.root}, keys)
	}
	for _, h := range f.held {
		f.read(h)
	}
}

// descend follows the keys from a value to those that hold servers. The longer
// way wins, so that "mcp" of opencode holds none where "mcp.servers" does.
func (f *File) descend(at holder, keys []string) {
	if len(keys) == 0 {
		longer := slices.ContainsFunc(f.held, func(h holder) bool { return slices.Equal(h.path[:min(len(at.path), len(h.path))], at.path) })
		if !longer && (at.value.kind == object || at.value.kind == list) && !isServer(at.value) {
			f.held = append(f.held, at)
		}
		return
	}
	seen := map[string]bool{}
	for _, fd := range at.value.fields {
		if keys[0] != "*" && fd.name != keys[0] || seen[fd.name] {
			continue
		}
		seen[fd.name] = true
		if at.value.count(fd.name) > 1 {
			f.unclear = true
			f.problem(problemAt(f.data, fd.span.from, "%q is there twice, and clients differ in which one they read", fd.name))
		}
		next := holder{append(slices.Clone(at.path), fd.name), at.value.get(fd.name), at.value}
		f.descend(next, keys[1:])
	}
}

// isServer reports whether an object is an entry, not a holder of entries: a
// server of opencode may be called "servers".
func isServer(n *node) bool {
	return n.get("command") != nil && n.get("command").kind != object || n.get("url").string() != ""
}

func (f *File) read(h holder) {
	var off []string
	if f.dialect.off != nil {
		off = f.dialect.off(f.root, h.parent)
	}
	add := func(name string, n *node, at int) {
		s, wrong := readServer(name, n, f.dialect)
		s.Line, _ = place(f.data, at)
		s.Disabled = s.Disabled || slices.Contains(off, name)
		if len(h.path) == 3 && h.path[0] == "projects" {
			s.Project = h.path[1]
		}
		if wrong != "" {
			f.problem(problemAt(f.data, at, "server %q %s", name, wrong))
			if n.kind != object {
				return
			}
		}
		f.Servers = append(f.Servers, s)
	}
	for _, fd := range h.value.fields {
		if h.value.count(fd.name) > 1 {
			f.problem(problemAt(f.data, fd.span.from, "server %q is there twice", fd.name))
		}
		add(fd.name, fd.value, f.begin(h, fd))
	}
	for _, item := range h.value.items {
		at := item.span.from
		if len(item.fields) > 0 && at == 0 {
			at = item.fields[0].span.from
		}
		add(item.get("name").string(), item, at)
	}
}

// begin returns where an entry begins. A table of TOML has no name of its own
// in the tree: it begins with its first line.
func (f *File) begin(h holder, fd field) int {
	if fd.span.to > 0 {
		return fd.span.from
	}
	path := append(slices.Clone(h.path), fd.name)
	for _, e := range f.lines {
		if len(e.path) >= len(path) && slices.Equal(e.path[:len(path)], path) {
			return e.span.from
		}
	}
	return 0
}

// Problem is something that is wrong with a file, at a place in it.
type Problem struct {
	Path         string
	Line, Column int // from 1, in characters; 0 for the file as a whole
	Text         string
}

// Error returns the problem behind its place, as compilers print it.
func (p Problem) Error() string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.Path, p.Text)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Column, p.Text)
}

// place returns the line and the column of a byte offset.
func place(data []byte, offset int) (line, column int) {
	offset = min(offset, len(data))
	begin := bytes.LastIndexByte(data[:offset], '\n') + 1
	return bytes.Count(data[:begin], []byte{'\n'}) + 1, utf8.RuneCount(data[begin:offset]) + 1
}

// problemAt returns a problem at a byte offset. The path is added by the file.
func problemAt(data []byte, offset int, format string, args ...any) Problem {
	line, column := place(data, offset)
	return Problem{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
