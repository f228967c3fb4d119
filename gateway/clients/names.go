package clients

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Entry is a server in a file, with the name that toolcrib has for it.
type Entry struct {
	File  *File
	Index int    // in File.Servers
	Name  string // "" where it has none
	Fault string // why it cannot be guarded under any name, "" when it can be, or is
}

// State is whether a server is guarded.
type State string

// The states of a server in a file.
const (
	Guarded State = "guarded"
	Open    State = "open"    // it can be guarded
	Refused State = "refused" // it cannot; the fault says why
)

// State returns whether the server is guarded. One that is guarded may have a fault.
func (e Entry) State() State {
	switch {
	case e.Server().Guarded():
		return Guarded
	case e.Fault != "":
		return Refused
	}
	return Open
}

// Server returns the server.
func (e Entry) Server() *Server { return &e.File.Servers[e.Index] }

// Entries names the servers of files. Those that start the same are one server under
// one name; those of one name that start different things get names of their own.
// An entry that is guarded has its name from there, so that a name once written
// stays; then come the servers in known, and then the entries in the order of the
// files, those of a project last: a folder does not change the names elsewhere.
func Entries(files []File, known map[string]Server) []Entry {
	var all []Entry
	for _, scope := range []Scope{User, Project} {
		for i := range files {
			for at := range files[i].Servers {
				if files[i].Scope == scope {
					all = append(all, Entry{File: &files[i], Index: at})
				}
			}
		}
	}
	n := naming{byName: map[string]string{}, byStart: map[string]string{}}
	for i := range all {
		s := all[i].Server()
		all[i].Fault = s.Refused
		if !s.Guarded() || s.Refused != "" {
			continue
		}
		all[i].Name = s.Guard.Name
		if start := s.start(); !n.claim(s.Guard.Name, start) && n.byName[s.Guard.Name] != start {
			all[i].Fault = fmt.Sprintf("another server is guarded under the name %s; unwrap this one, and wrap it again", s.Guard.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		s := known[name]
		n.claim(name, s.start())
	}
	for i := range all {
		if s := all[i].Server(); all[i].Name == "" {
			all[i].Name = n.name(s, all[i].File.Client, s.Refused == "")
		}
	}
	return all
}

// naming has the names given so far, and what they start.
type naming struct{ byName, byStart map[string]string }

// claim gives a name to what a server starts, unless either is taken.
func (n naming) claim(name, start string) bool {
	if _, taken := n.byName[name]; taken {
		return false
	}
	n.byName[name] = start
	if _, named := n.byStart[start]; !named {
		n.byStart[start] = name
	}
	return true
}

// name returns the name of a server. One that cannot be guarded takes none away.
func (n naming) name(s *Server, client string, take bool) string {
	start, label := s.start(), registry.ServerName(s.Name)
	if name, ok := n.byStart[start]; ok || !take {
		if ok {
			return name
		}
		return label
	}
	for i, name := 1, label; ; i++ {
		if n.claim(name, start) {
			return name
		}
		if name = label + "_" + registry.ServerName(client); i > 1 {
			name += fmt.Sprintf("_%d", i)
		}
	}
}

// start returns a text that is equal for servers that start or reach the same, with
// whatever secrets.
func (s *Server) start() string {
	m := s.Masked()
	if s.URL != "" {
		return "url " + maskURL(s.URL, false)
	}
	program := m.Command
	if program != filepath.Base(program) && !filepath.IsAbs(program) {
		program = filepath.Join(s.Folder(), program)
	}
	return strings.Join(append([]string{program}, m.Args...), "\x00")
}

// Folder returns where a command runs as far as the entry says so: "" for wherever
// the client does.
func (s *Server) Folder() string {
	switch {
	case filepath.IsAbs(s.Dir), s.Project == "":
		return s.Dir
	}
	return filepath.Join(s.Project, s.Dir)
}
