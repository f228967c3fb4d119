package instructions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Found is a skill or a file of instructions as it stands on disk.
type Found struct {
	Kind   registry.Kind
	Path   string          // below the folder that was searched, with slashes
	Client string          // who reads it, for people
	Folder registry.Folder // without an id
	Err    error           // why it cannot be taken in; wraps ErrFile
}

// maxEntries limits how much of a project is searched.
const maxEntries = 500_000

// skipped are folders that hold what others wrote and no client looks into.
func skipped(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", ".venv", "__pycache__":
		return true
	}
	return false
}

// Find returns what coding agents are told by files below dir, by path. The error is
// about dir as a whole; that of one file is in Found.
func Find(dir string, scope Scope) ([]Found, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", dir, err)
	}
	defer root.Close() //nolint:errcheck // it was read only
	s := &search{root: root, scope: scope, patterns: scope.patterns(), known: map[string]bool{}}
	for _, start := range scope.starts() {
		if err := s.folder(start, 0); err != nil {
			return nil, fmt.Errorf("search %s: %w", dir, err)
		}
	}
	slices.SortFunc(s.found, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	return s.found, nil
}

// search walks through a folder.
type search struct {
	root     *os.Root
	scope    Scope
	patterns []pattern
	found    []Found
	known    map[string]bool
	entries  int
}

// folder looks at everything in dir. What cannot be opened is passed over where no
// client's files are: a project may hold folders that are nobody's business.
func (s *search) folder(dir string, depth int) error {
	opened, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || depth > maxDepth {
		return nil
	}
	if err != nil {
		if s.clients(dir) {
			s.fail(dir, err)
		}
		return nil
	}
	entries, err := opened.ReadDir(-1)
	opened.Close()
	if err != nil {
		return err
	}
	if s.entries += len(entries); s.entries > maxEntries {
		return fmt.Errorf("it has more than %d files and folders; name a smaller one", maxEntries)
	}
	for _, entry := range entries {
		if err := s.entry(path.Join(dir, entry.Name()), entry, depth); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) entry(p string, entry fs.DirEntry, depth int) error {
	isDir, linked := entry.IsDir(), entry.Type()&fs.ModeSymlink != 0
	if linked { // to a folder, only where a client looks
		info, err := s.root.Stat(p)
		switch {
		case err == nil:
			isDir = info.IsDir()
		case s.of(p, true) || s.of(p, false) || leads(s.patterns, p, s.scope == Project):
			s.fail(p, errors.New("is a link that leads out of the folder, or nowhere"))
			return nil
		}
	}
	if !isDir {
		s.take(p, false)
		return nil
	}
	if skipped(entry.Name()) || s.take(p, true) || linked && !s.clients(p) || s.scope == User && !leads(s.patterns, p, false) {
		return nil
	}
	return s.folder(p, depth+1)
}

// of reports whether a client reads what is at p.
func (s *search) of(p string, isDir bool) bool {
	_, ok := match(s.patterns, p, isDir, s.scope == Project)
	return ok
}

// clients reports whether dir is a client's folder, or lies in one.
func (s *search) clients(dir string) bool {
	return s.scope == User || slices.ContainsFunc(strings.Split(dir, "/"), func(element string) bool {
		return len(element) > 1 && element[0] == '.'
	})
}

// take reads the file or the skill at p when a client would.
func (s *search) take(p string, isDir bool) bool {
	place, ok := match(s.patterns, p, isDir, s.scope == Project)
	if !ok || s.known[p] {
		return ok
	}
	if isDir {
		if info, err := s.root.Stat(path.Join(p, registry.SkillFile)); err != nil || info.IsDir() {
			return false // not a skill
		}
	}
	s.known[p] = true
	folder, err := read(s.root, place.kind, p)
	s.found = append(s.found, Found{Kind: place.kind, Path: p, Client: place.client, Folder: folder, Err: err})
	return true
}

func (s *search) fail(p string, err error) {
	s.found = append(s.found, Found{Kind: registry.KindInstructions, Path: p, Err: wrap(p, err)})
}

// Read returns the skill or the file of instructions at p below dir, as Find does.
func Read(dir string, kind registry.Kind, p string) (registry.Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return registry.Folder{}, err
	}
	defer root.Close() //nolint:errcheck // it was read only
	return read(root, kind, p)
}
