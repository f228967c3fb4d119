package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"toolcrib/gateway/clients/spanedit"
	"toolcrib/internal/atomicfile"
)

// readFile returns the content of a regular file and the path it has once
// symbolic links are followed. A pipe is not waited for.
func readFile(name string) (data []byte, target string, err error) {
	target, err = filepath.EvalSymlinks(name)
	if err != nil {
		return nil, "", err
	}
	f, err := os.OpenFile(target, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, target, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, target, err
	}
	if !info.Mode().IsRegular() {
		return nil, target, errors.New("not a regular file")
	}
	data, err = io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err == nil && len(data) > MaxBytes {
		err = fmt.Errorf("larger than %d MB", MaxBytes>>20)
	}
	return data, target, err
}

// reason returns what an error says behind the path, which a problem has.
func reason(err error) string {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// Reasons for not writing a file.
var (
	// ErrChanged is for a file that somebody wrote in between.
	ErrChanged = errors.New("the file changed in between; try again")
	// ErrReadOnly is for a file that nobody may write to, although its folder takes
	// another in its place.
	ErrReadOnly = errors.New("it is read-only; make it writable first")
	// ErrLink is for a file that is elsewhere than its path says.
	ErrLink = errors.New("a symbolic link leads out of the folder")
)

// Write replaces the content of a file that was read, in one step, if the file is
// still as it was read. It keeps its mode and its owner. Where a symbolic link leads
// elsewhere (File.Target), it is followed only if follow says so. A file that is not there
// is made, with its folder; for data that is nil the file is deleted.
func (f *File) Write(data []byte, follow bool) error {
	if f.Target != "" && !follow {
		return fmt.Errorf("%s: %w, to %s; --follow-links writes there", f.Path, ErrLink, f.Target)
	}
	if info, err := os.Stat(f.real); err == nil && info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s: %w", f.Path, ErrReadOnly)
	}
	unchanged := func() error {
		now, target, err := readFile(f.Path)
		if f.missing && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if f.missing || err == nil && (target != f.real || !bytes.Equal(now, f.doc.Data)) {
			err = fmt.Errorf("%s: %w", f.Path, ErrChanged)
		}
		return err
	}
	switch {
	case data == nil:
		if err := unchanged(); err != nil {
			return err
		}
		return os.Remove(f.real)
	case f.missing:
		if err := os.MkdirAll(filepath.Dir(f.real), 0o755); err != nil {
			return err
		}
	}
	return atomicfile.Write(f.real, data, atomicfile.Options{Mode: 0o644, Keep: true, Check: unchanged})
}

// File is a configuration file as it was read.
type File struct {
	Client   string // the id
	Scope    Scope
	Path     string
	Target   string // where it really is, if a symbolic link leads elsewhere
	Servers  []Server
	Problems []Problem
	// Variables are references that the client fills in because the file is part of a plugin.
	Variables map[string]string

	machine Machine
	real    string // the path with all links followed
	dialect dialect
	hooks   hookStyle
	at      location
	doc     spanedit.Document // without a root where the file could not be read
	unused  bool              // its client does not read it
	missing bool              // it is not there yet
	held    []holder
	unclear bool // a name on the way to the servers is there twice
}

// holder is a value that holds servers.
type holder struct {
	path   []string
	value  *spanedit.Node
	parent *spanedit.Node
}

func (m Machine) newFile(c Client, l location, path string, data []byte) File {
	f := File{Client: c.ID, Scope: l.scope(), Path: path, machine: m, dialect: c.dialect, hooks: c.hooks, at: l}
	var err error
	if f.doc, err = spanedit.Parse(data, formatOf(path)); err != nil {
		p, _ := errors.AsType[Problem](err)
		f.problem(p)
		return f
	}
	f.find()
	f.unused = (l.plugin > 0 || l.editor) && !f.plugin()
	return f
}

// With returns the file as it is with other content.
func (f *File) With(data []byte) File {
	g := f.machine.newFile(Client{ID: f.Client, dialect: f.dialect, hooks: f.hooks}, f.at, f.Path, data)
	g.Target, g.real = f.Target, f.real
	return g
}

// formatOf returns the format of a file by the ending of its name.
func formatOf(path string) spanedit.Format {
	switch filepath.Ext(path) {
	case ".toml":
		return spanedit.TOML
	case ".yaml", ".yml":
		return spanedit.YAML
	}
	return spanedit.JSON
}

// Data returns the content.
func (f *File) Data() []byte { return f.doc.Data }

func (f *File) problem(p Problem) {
	p.Path = f.Path
	f.Problems = append(f.Problems, p)
}

// find reads the servers.
func (f *File) find() {
	keys := f.at.keys
	if keys == nil {
		keys = f.dialect.keys
	}
	for _, keys := range keys {
		f.descend(holder{value: f.doc.Root}, keys)
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
		if !longer && (at.value.Kind == spanedit.Object || at.value.Kind == spanedit.List) && !isServer(at.value) {
			f.held = append(f.held, at)
		}
		return
	}
	seen := map[string]bool{}
	for _, fd := range at.value.Fields {
		if keys[0] != "*" && fd.Name != keys[0] || seen[fd.Name] {
			continue
		}
		seen[fd.Name] = true
		if at.value.Field(fd.Name).Value != fd.Value {
			f.unclear = true
			f.problem(spanedit.ProblemAt(f.doc.Data, fd.Keys[0].From, "%q is there twice, and clients differ in which one they read", fd.Name))
		}
		next := holder{append(slices.Clone(at.path), fd.Name), at.value.Get(fd.Name), at.value}
		f.descend(next, keys[1:])
	}
}

// isServer reports whether an object is an entry, not a holder of entries: a
// server of opencode may be called "servers".
func isServer(n *spanedit.Node) bool {
	return n.Get("command") != nil && n.Get("command").Kind != spanedit.Object || n.Get("url").Str() != ""
}

func (f *File) read(h holder) {
	var off []string
	if f.dialect.off != nil {
		off = f.dialect.off(f.doc.Root, h.parent)
	}
	add := func(name string, n *spanedit.Node) {
		s := Server{Name: name, node: n, twice: len(h.value.Items) == 0 && h.value.Count(name) > 1}
		if len(h.path) == 3 && h.path[0] == "projects" {
			s.Project = h.path[1]
		}
		s.folder = f.folder(&s)
		s.read(f.dialect, f.machine.Inspect)
		s.Disabled = s.Disabled || slices.Contains(off, name)
		s.Refused = f.refused(&s, h)
		f.Servers = append(f.Servers, s)
	}
	for _, fd := range h.value.Fields {
		add(fd.Name, fd.Value)
	}
	for _, item := range h.value.Items {
		add(item.Get("name").Str(), item)
	}
}

// Problem is something that is wrong with a file, at a place in it.
type Problem = spanedit.Problem

// MaxBytes limits a client's file. Most have some kilobytes; ~/.claude.json, which holds
// a history too, can grow to megabytes.
const MaxBytes = 5 << 20
