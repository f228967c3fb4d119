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

// Tree has the skills and files found below a folder.
type Tree struct {
	Found  []Found
	Unread []string // folders with a SKILL.md where no client looks for skills
}

// Found is a skill or a file of instructions as it stands on disk.
type Found struct {
	Kind   registry.Kind
	Path   string          // below the folder that was searched, with slashes
	Client string          // who reads it, for people; "" for nobody
	Folder registry.Folder // without an id
	Err    error           // why it cannot be taken in; wraps ErrFile
}

// The limits of a search: how many files and folders it passes, and how deep they lie.
const (
	maxEntries = 500_000
	maxSearch  = 64
)

// skipped are folders that hold what others wrote and no client looks into, unless they
// stand where a client looks.
func skipped(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", ".venv", "__pycache__":
		return true
	}
	return false
}

// Search returns what coding agents are told by files below dir, by path, and what was
// approved of other places there. The error is about dir as a whole; that of one file is
// in Found.
func Search(dir string, scope Scope, approved []Approved) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Tree{}, fmt.Errorf("search %s: %w", dir, err)
	}
	defer root.Close() //nolint:errcheck // it was read only
	s := &search{root: root, scope: scope, patterns: scope.patterns(), folds: folds(root), known: map[string]bool{}}
	if s.folds {
		for _, p := range s.patterns {
			for i := range p.elements {
				p.elements[i] = strings.ToLower(p.elements[i])
			}
		}
	}
	for _, start := range scope.starts() {
		if s.take(start, true) {
			continue
		}
		if err := s.folder(start, 0); err != nil {
			return Tree{}, fmt.Errorf("search %s: %w", dir, err)
		}
	}
	for _, a := range approved {
		s.elsewhere(a)
	}
	slices.SortFunc(s.found, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(s.unread)
	return Tree{s.found, s.unread}, nil
}

// folds reports whether a file system takes names that differ by letter case alone for
// one, as those of macOS and Windows do: a client that asks for AGENTS.md gets agents.md.
func folds(root *os.Root) bool {
	entries, err := readDir(root, ".")
	if err != nil {
		return false
	}
	const enough = 16 // names without letters tell nothing
	return slices.ContainsFunc(entries[:min(len(entries), enough)], func(entry fs.DirEntry) bool {
		other := strings.ToUpper(entry.Name())
		if other == entry.Name() {
			other = strings.ToLower(other)
		}
		if other == entry.Name() {
			return false
		}
		first, err := root.Lstat(entry.Name())
		second, otherErr := root.Lstat(other)
		return err == nil && otherErr == nil && os.SameFile(first, second)
	})
}

// search walks through a folder.
type search struct {
	root     *os.Root
	scope    Scope
	patterns []pattern
	folds    bool // letter case does not tell files apart; then patterns are in lower case
	found    []Found
	unread   []string
	known    map[string]bool
	entries  int
}

// folder looks at everything in dir. What cannot be opened is passed over where no
// client's files are: a project may hold folders that are nobody's business.
func (s *search) folder(dir string, depth int) error {
	opened, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && depth > maxSearch {
		s.fail(dir, fmt.Errorf("lies more than %d folders deep", maxSearch))
		return opened.Close()
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
		case s.of(p, true) || s.of(p, false) || s.leads(p):
			s.fail(p, errors.New("is a link that leads out of the folder, or nowhere"))
			return nil
		}
	}
	if !isDir {
		if !s.take(p, false) && entry.Name() == registry.SkillFile {
			s.unread = append(s.unread, path.Dir(p))
		}
		return nil
	}
	if skipped(entry.Name()) && !s.leads(p) || s.take(p, true) || linked && !s.clients(p) || s.scope == User && !s.leads(p) {
		return nil
	}
	return s.folder(p, depth+1)
}

// match returns the place that what is at p is of.
func (s *search) match(p string, isDir bool) (place, bool) {
	return match(s.patterns, s.folded(p), isDir, s.scope == Project)
}

// folded returns a path as the patterns are written.
func (s *search) folded(p string) string {
	if s.folds {
		return strings.ToLower(p)
	}
	return p
}

// leads reports whether a client can read something below p.
func (s *search) leads(p string) bool { return leads(s.patterns, s.folded(p), s.scope == Project) }

// of reports whether a client reads what is at p.
func (s *search) of(p string, isDir bool) bool {
	_, ok := s.match(p, isDir)
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
	place, ok := s.match(p, isDir)
	if !ok || s.known[p] {
		return ok
	}
	if isDir && !s.isSkill(p) {
		return false
	}
	s.read(place.kind, p, place.client)
	return true
}

// isSkill reports whether the folder at p has a SKILL.md, be it a link that leads anywhere.
func (s *search) isSkill(p string) bool {
	info, err := s.root.Lstat(path.Join(p, registry.SkillFile))
	return err == nil && !info.IsDir()
}

func (s *search) read(kind registry.Kind, p, client string) {
	s.known[p] = true
	folder, err := read(s.root, kind, p)
	s.found = append(s.found, Found{Kind: kind, Path: p, Client: client, Folder: folder, Err: err})
}

// elsewhere reads what was approved of a place where no client looks.
func (s *search) elsewhere(a Approved) {
	if !a.Active || s.known[a.Path] {
		return
	}
	there := s.isSkill(a.Path)
	if a.Subject.Kind == registry.KindInstructions {
		info, err := s.root.Lstat(a.Path)
		there = err == nil && !info.IsDir()
	}
	if there {
		s.read(a.Subject.Kind, a.Path, "")
	}
}

func (s *search) fail(p string, err error) {
	if s.known[p] {
		return
	}
	s.known[p] = true
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
