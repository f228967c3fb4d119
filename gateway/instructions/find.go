// The search for skills and instruction files.

package instructions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/internal/lazyregexp"
	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/places"
)

// Tree contains the skills and files found below a folder.
type Tree struct {
	Found     []Found
	Unread    []string // folders with a SKILL.md outside the places for skills
	Unchecked []string // files and folders that clients read but that are not compared
	Imported  []string // files that files of Claude Code import, even if other clients read them as well
	Outside   []Import // files outside the folder that files in it import
	dir       string
}

// Found is a skill or an instruction file on disk.
type Found struct {
	Kind   registry.Kind
	Path   string          // relative to the searched folder, with slashes
	Client string          // clients that read it, for display; may be ""
	Folder registry.Folder // without an id
	Err    error           // why it cannot be read; wraps ErrFile
}

// Limits of a search: number of entries and depth of folders.
const (
	maxEntries = 2_000_000
	maxSearch  = 64
)

// Search returns the skills and instruction files below dir, ordered by path, and the files in imported, which are
// paths below dir that files elsewhere import. The error concerns dir as a whole. Errors of single files are in
// Found.
func Search(dir string, scope places.Scope, imported ...string) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrPermission) && scope == places.Above {
		return Tree{Found: unlisted(dir), dir: dir}, nil
	}
	if err != nil {
		return Tree{}, fmt.Errorf("search %s: %w", dir, err)
	}
	defer root.Close() //nolint:errcheck // only read
	s := &search{Tree: Tree{dir: dir}, root: root, scope: scope, folds: ignoresCase(root), known: map[string]bool{}}
	s.patterns = scope.Patterns(s.folds)
	if err := s.folder(".", 0); err != nil {
		return Tree{}, fmt.Errorf("search %s: %w", dir, err)
	}
	s.Imported = slices.Clone(imported)
	for _, p := range imported {
		s.include(p, "")
	}
	s.imports()
	s.sort()
	return s.Tree, nil
}

func (t *Tree) sort() {
	slices.SortFunc(t.Found, func(a, b Found) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(t.Unread)
	slices.Sort(t.Unchecked)
}

// unlisted returns the files in a folder that cannot be listed, because clients open files by name. It cannot find
// names with "*".
func unlisted(dir string) []Found {
	var found []Found
	for _, p := range places.Above.Places() {
		name, _, _ := strings.Cut(p.Pattern, "/")
		_, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && !slices.ContainsFunc(found, func(f Found) bool { return f.Path == name }) {
			found = append(found, Refuse(name, fmt.Errorf("it is in a folder that cannot be listed; make %s readable, or delete it", dir)))
		}
	}
	return found
}

// Refuse returns an instruction file that cannot be compared, with the reason.
func Refuse(p string, why error) Found {
	return Found{Kind: registry.KindInstructions, Path: p, Err: wrap(p, why)}
}

// With adds approved skills and files outside the places of clients.
func (t Tree) With(approved []Approved) (Tree, error) {
	known := lists.Set(t.Found, func(f Found) string { return f.Path })
	approved = slices.DeleteFunc(slices.Clone(approved), func(a Approved) bool { return !a.Active || known[a.Path] })
	if len(approved) == 0 {
		return t, nil
	}
	root, err := os.OpenRoot(t.dir)
	if errors.Is(err, fs.ErrPermission) { // Search could only look for names
		return t, nil
	}
	if err != nil {
		return t, err
	}
	defer root.Close() //nolint:errcheck // only read
	s := &search{Tree: t, root: root, known: known}
	s.Found = slices.Clone(s.Found)
	for _, a := range approved { // outside the places of clients
		there := s.isSkill(a.Path)
		if a.Subject.Kind == registry.KindInstructions {
			info, err := s.root.Lstat(a.Path)
			there = err == nil && !info.IsDir()
		}
		if there {
			s.read(a.Subject.Kind, a.Path, "")
		}
	}
	s.sort()
	return s.Tree, nil
}

// ignoresCase reports whether the file system ignores case, as on macOS and Windows, where a client that opens
// AGENTS.md gets agents.md.
func ignoresCase(root *os.Root) bool {
	entries, err := readDir(root, ".")
	if err != nil {
		return false
	}
	const enough = 16 // check this many names, because names without letters are inconclusive
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

// search is the state of a search.
type search struct {
	Tree
	root     *os.Root
	scope    places.Scope
	patterns []places.Pattern
	folds    bool // the file system ignores case; patterns are lower-case
	known    map[string]bool
	entries  int
}

// folder searches dir. It reports a folder that cannot be opened, because a client may read a file in it by name, or
// the agent may open the folder later.
func (s *search) folder(dir string, depth int) error {
	opened, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && depth > maxSearch {
		s.fail(dir, fmt.Errorf("it is nested more than %d folders deep", maxSearch))
		return opened.Close()
	}
	if err != nil {
		s.fail(dir, err)
		return nil
	}
	entries, err := opened.ReadDir(-1)
	opened.Close()
	if err != nil {
		s.fail(dir, err)
		return nil
	}
	if s.entries += len(entries); s.entries > maxEntries {
		return fmt.Errorf("it has more than %d files and folders; use a smaller folder", maxEntries)
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
	if linked { // links to folders count only in places of clients
		info, err := s.root.Stat(p)
		switch {
		case err == nil:
			isDir = info.IsDir()
		case s.matches(p, true) || s.matches(p, false) || s.mayContain(p):
			s.fail(p, errors.New("it is a link to a target outside of the folder, or to a missing one"))
			return nil
		}
	}
	if !isDir {
		if !s.readIfMatched(p, false) && entry.Name() == registry.SkillFile {
			s.Unread = append(s.Unread, path.Dir(p))
		}
		return nil
	}
	hidden := func(element string) bool { return len(element) > 1 && element[0] == '.' } // like the folders of clients
	outside := s.scope == places.Project && !slices.ContainsFunc(strings.Split(p, "/"), hidden)
	if s.readIfMatched(p, true) || linked && outside || (s.scope != places.Project || entry.Name() == ".git") && !s.mayContain(p) {
		return nil
	}
	return s.folder(p, depth+1)
}

// match returns the place of the file or folder at p.
func (s *search) match(p string, isDir bool) (places.Place, bool) {
	return places.Match(s.patterns, s.folded(p), isDir, s.scope == places.Project)
}

// folded returns a path in the case of the patterns.
func (s *search) folded(p string) string {
	if s.folds {
		return strings.ToLower(p)
	}
	return p
}

// mayContain reports whether clients read anything below p.
func (s *search) mayContain(p string) bool {
	return places.Leads(s.patterns, s.folded(p), s.scope == places.Project)
}

// matches reports whether clients read the file or folder at p.
func (s *search) matches(p string, isDir bool) bool {
	_, ok := s.match(p, isDir)
	return ok
}

// readIfMatched reads the file or the skill at p if clients read it, and reports whether they do.
func (s *search) readIfMatched(p string, isDir bool) bool {
	place, ok := s.match(p, isDir)
	if !ok || s.known[p] {
		return ok
	}
	if !place.Checked() {
		s.known[p] = true
		s.Unchecked = append(s.Unchecked, p)
		return true
	}
	if isDir && !s.isSkill(p) {
		return false
	}
	s.read(place.Kind, p, place.Client)
	if last := len(s.Found) - 1; place.Settings() && !changesHooks(s.Found[last]) {
		s.Found = s.Found[:last]
	}
	return true
}

// changesHooks reports whether a settings file of Claude Code may disable or change a hook.
func changesHooks(f Found) bool {
	text := f.Folder.Files[path.Base(f.Path)]
	if f.Err == nil && text.SHA256 == "" && strings.TrimSpace(text.Text) == "" {
		return false
	}
	var keys map[string]json.RawMessage
	if f.Err != nil || text.SHA256 != "" || json.Unmarshal([]byte(text.Text), &keys) != nil {
		return true // the client may interpret it differently
	}
	return slices.ContainsFunc([]string{"env", "hooks", "disableAllHooks"}, func(key string) bool { return keys[key] != nil })
}

// isSkill reports whether the folder at p contains a SKILL.md, which may be a link.
func (s *search) isSkill(p string) bool {
	info, err := s.root.Lstat(path.Join(p, registry.SkillFile))
	return err == nil && !info.IsDir()
}

func (s *search) read(kind registry.Kind, p, client string) {
	s.known[p] = true
	folder, err := read(s.root, kind, p)
	s.Found = append(s.Found, Found{Kind: kind, Path: p, Client: client, Folder: folder, Err: err})
}

func (s *search) fail(p string, err error) {
	if s.known[p] {
		return
	}
	s.known[p] = true
	s.Found = append(s.Found, Refuse(p, err))
}

// Bytes returns the content of the file at p below dir.
func Bytes(dir, p string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	info, err := root.Lstat(p)
	if err != nil {
		return nil, wrap(p, err)
	}
	return (&reader{root: root}).bytes(p, info)
}

// Read returns the skill or instruction file at p below dir in the form of Search.
func Read(dir string, kind registry.Kind, p string) (registry.Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return registry.Folder{}, err
	}
	defer root.Close() //nolint:errcheck // only read
	return read(root, kind, p)
}

// Import is an import of a file outside the folder.
type Import struct {
	From string // file with the import, relative to the folder
	Path string // absolute path, or "~/" and a path relative to the home folder
}

// maxImports is the maximum depth of imports. Claude Code follows 5 (code.claude.com/docs/en/memory), as does Gemini
// CLI by default (geminicli.com/docs/reference/memport).
const maxImports = 5

// importPattern matches an import of Claude Code or Gemini CLI: "@" and a path with escaped spaces.
var importPattern = lazyregexp.New(`(?:^|\s)@((?:[^\s\\]|\\.)+)`)

// importers are the files with imports that clients follow. AGENTS.md is included because Gemini CLI can be
// configured to read it, and Claude Code reads it if CLAUDE.md imports it.
var importers = []string{"claude.md", "claude.local.md", "gemini.md", "agents.md"}

// imports adds imported files recursively. It includes imports in code blocks, because clients differ in recognizing
// these.
func (s *search) imports() {
	depth := map[string]int{}
	for i := 0; i < len(s.Found); i++ { // the list grows
		f := s.Found[i]
		hops := depth[f.Path]
		imports := hops > 0 || slices.Contains(importers, strings.ToLower(path.Base(f.Path))) || strings.Contains("/"+f.Path, "/.claude/rules/")
		if f.Err != nil || f.Kind != registry.KindInstructions || !imports || hops == maxImports {
			continue
		}
		content := f.Folder.Files[path.Base(f.Path)]
		if content.SHA256 != "" {
			s.Unchecked = append(s.Unchecked, "imports of "+f.Path)
		}
		for _, target := range targets(content.Text) {
			p, local := s.resolve(f.Path, target)
			if !local {
				s.Outside = append(s.Outside, Import{f.Path, p})
				continue
			}
			if s.include(p, f.Client) {
				depth[p] = hops + 1
			}
			s.Imported = append(s.Imported, p)
		}
	}
}

// targets returns the paths that a text imports, with and without trailing punctuation.
func targets(text string) []string {
	var list []string
	known := map[string]bool{"": true}
	for _, m := range importPattern().FindAllStringSubmatch(text, -1) {
		target, _, _ := strings.Cut(strings.ReplaceAll(m[1], `\ `, " "), "#")
		for _, t := range []string{target, strings.TrimRight(target, ".,;:!?)\"'`*")} {
			if !known[t] {
				known[t] = true
				list = append(list, t)
			}
		}
	}
	return list
}

// resolve returns the path of an import in the file from. If local is set, the path is relative to the searched
// folder; otherwise it is the path as written.
func (s *search) resolve(from, target string) (p string, local bool) {
	if rest, ok := strings.CutPrefix(target, "~/"); ok {
		if s.scope != places.User {
			return target, false
		}
		target = filepath.Join(s.dir, rest)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(s.dir, filepath.FromSlash(path.Dir(from)), target)
	}
	rel, err := filepath.Rel(s.dir, target)
	if err != nil || !filepath.IsLocal(rel) {
		return target, false
	}
	return filepath.ToSlash(rel), true
}

// include reads an imported file and reports whether it is new. It ignores missing files.
func (s *search) include(p, client string) bool {
	if s.known[p] {
		return false
	}
	info, err := s.root.Stat(p)
	switch {
	case err == nil && info.IsDir(), errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		if _, err := s.root.Lstat(p); err != nil {
			return false
		}
	}
	s.read(registry.KindInstructions, p, client)
	return true
}
