// This file searches a folder for skills and instruction files.

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
	Unread    []string // folders that contain a SKILL.md, although no client looks for skills there
	Unchecked []string // files and folders that clients read but toolcrib does not compare
	Imported  []string // files that are imported by instruction files, relative to dir
	Outside   []Import // imports of files outside dir
	dir       string
}

// Found is a skill or an instruction file in the searched folder.
type Found struct {
	Kind   registry.Kind
	Path   string          // relative to the searched folder, with slashes
	Client string          // names of the clients that read it, for display; may be ""
	Folder registry.Folder // the content; its ID is empty
	Err    error           // reason why it cannot be read; wraps ErrFile
}

// Limits of a search: the total number of files and folders, and the nesting of folders.
const (
	maxEntries = 2_000_000
	maxSearch  = 64
)

// Search returns the skills and instruction files below dir, ordered by path. imported contains the paths, relative to
// dir, of further files to read, which are imported by files outside dir. Search returns an error only if dir cannot be
// searched. Errors of individual files are in Found.Err.
func Search(dir string, scope places.Scope, imported ...string) (Tree, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrPermission) && scope == places.Above {
		return Tree{Found: unlisted(dir), dir: dir}, nil
	}
	if err != nil {
		return Tree{}, fmt.Errorf("search %s: %w", dir, err)
	}
	defer root.Close() //nolint:errcheck // opened for reading
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

// unlisted returns the instruction files in dir, a folder that cannot be listed. Clients may still open these files by
// name. unlisted does not find files that match patterns with "*".
func unlisted(dir string) []Found {
	var found []Found
	for _, p := range places.Above.Places() {
		name, _, _ := strings.Cut(p.Pattern, "/")
		_, err := os.Lstat(filepath.Join(dir, name))
		if err == nil && !slices.ContainsFunc(found, func(f Found) bool { return f.Path == name }) {
			found = append(found, Refuse(name, fmt.Errorf("the files in the folder %s cannot be listed; make the folder readable, or delete it", dir)))
		}
	}
	return found
}

// Refuse returns a Found for the file at path p, which cannot be compared because of err.
func Refuse(p string, err error) Found {
	return Found{Kind: registry.KindInstructions, Path: p, Err: wrap(p, err)}
}

// With returns a copy of t that also contains the approved skills and files that Search does not find, because clients
// do not search their locations.
func (t Tree) With(approved []Approved) (Tree, error) {
	known := lists.Set(t.Found, func(f Found) string { return f.Path })
	approved = slices.DeleteFunc(slices.Clone(approved), func(a Approved) bool { return !a.Active || known[a.Path] })
	if len(approved) == 0 {
		return t, nil
	}
	root, err := os.OpenRoot(t.dir)
	if errors.Is(err, fs.ErrPermission) { // the folder cannot be listed, so Search has used the function unlisted
		return t, nil
	}
	if err != nil {
		return t, err
	}
	defer root.Close() //nolint:errcheck // opened for reading
	s := &search{Tree: t, root: root, known: known}
	s.Found = slices.Clone(s.Found)
	for _, a := range approved { // approved contains only the files that Search has not found
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

// ignoresCase reports whether the file system ignores case, as on macOS and Windows. In such a file system, a client
// that opens AGENTS.md may read agents.md.
func ignoresCase(root *os.Root) bool {
	entries, err := readDir(root, ".")
	if err != nil {
		return false
	}
	const enough = 16 // number of names to check; names without letters are inconclusive
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
	folds    bool // whether the file system ignores case; if so, patterns are lower-case
	known    map[string]bool
	entries  int
}

// folder searches dir recursively. If dir cannot be opened, folder adds it to s.Found with the error, because a client
// may read a file in dir by name, or the agent may open dir later.
func (s *search) folder(dir string, depth int) error {
	opened, err := s.root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && depth > maxSearch {
		s.fail(dir, fmt.Errorf("the folder is nested more than %d levels deep", maxSearch))
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
		return fmt.Errorf("the folder contains more than %d files and folders; use a smaller folder", maxEntries)
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
	if linked { // links to folders are followed only where clients look for files
		info, err := s.root.Stat(p)
		switch {
		case err == nil:
			isDir = info.IsDir()
		case s.matches(p, true) || s.matches(p, false) || s.mayContain(p):
			s.fail(p, errors.New("the target of the link is missing or outside of the folder"))
			return nil
		}
	}
	if !isDir {
		if !s.readIfMatched(p, false) && entry.Name() == registry.SkillFile {
			s.Unread = append(s.Unread, path.Dir(p))
		}
		return nil
	}
	hidden := func(element string) bool { return len(element) > 1 && element[0] == '.' } // the folders of clients have hidden names
	outside := s.scope == places.Project && !slices.ContainsFunc(strings.Split(p, "/"), hidden)
	if s.readIfMatched(p, true) || linked && outside || (s.scope != places.Project || entry.Name() == ".git") && !s.mayContain(p) {
		return nil
	}
	return s.folder(p, depth+1)
}

// match returns the place with a pattern that matches the file or folder at p. It returns false if no pattern matches.
func (s *search) match(p string, isDir bool) (places.Place, bool) {
	return places.Match(s.patterns, s.folded(p), isDir, s.scope == places.Project)
}

// folded returns p in lower case if the patterns are in lower case.
func (s *search) folded(p string) string {
	if s.folds {
		return strings.ToLower(p)
	}
	return p
}

// mayContain reports whether clients may read anything below p.
func (s *search) mayContain(p string) bool {
	return places.Leads(s.patterns, s.folded(p), s.scope == places.Project)
}

// matches reports whether clients read the file or folder at p.
func (s *search) matches(p string, isDir bool) bool {
	_, ok := s.match(p, isDir)
	return ok
}

// readIfMatched reports whether clients read the file or folder at p. If so, it adds the file or the skill to s.
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

// changesHooks reports whether f, a settings file of Claude Code, may disable or change hooks. It returns true if f
// cannot be interpreted.
func changesHooks(f Found) bool {
	text := f.Folder.Files[path.Base(f.Path)]
	if f.Err == nil && text.SHA256 == "" && strings.TrimSpace(text.Text) == "" {
		return false
	}
	var keys map[string]json.RawMessage
	if f.Err != nil || text.SHA256 != "" || json.Unmarshal([]byte(text.Text), &keys) != nil {
		return true // the client may be able to interpret the file
	}
	return slices.ContainsFunc([]string{"env", "hooks", "disableAllHooks"}, func(key string) bool { return keys[key] != nil })
}

// isSkill reports whether the folder p contains a SKILL.md, which may be a link.
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

// Bytes returns the content of the file p below dir.
func Bytes(dir, p string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // opened for reading
	info, err := root.Lstat(p)
	if err != nil {
		return nil, wrap(p, err)
	}
	return (&reader{root: root}).bytes(p, info)
}

// Read returns the skill or the instruction file p below dir, in the same form as Found.Folder.
func Read(dir string, kind registry.Kind, p string) (registry.Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return registry.Folder{}, err
	}
	defer root.Close() //nolint:errcheck // opened for reading
	return read(root, kind, p)
}

// Import is an import of a file outside the searched folder.
type Import struct {
	From string // file with the import, relative to the folder
	Path string // absolute path, or "~/" and a path relative to the home folder
}

// maxImports is the maximum depth of nested imports. Claude Code follows imports five levels deep
// (code.claude.com/docs/en/memory), and so does Gemini CLI by default (geminicli.com/docs/reference/memport).
const maxImports = 5

// importPattern matches an import of Claude Code or Gemini CLI: "@" and a path with escaped spaces.
var importPattern = lazyregexp.New(`(?:^|\s)@((?:[^\s\\]|\\.)+)`)

// importers contains the lower-case names of files that may contain imports. Clients also follow imports in the rules
// of Claude Code and in imported files. agents.md is included because Gemini CLI can be configured to read it, and
// because CLAUDE.md may import it.
var importers = []string{"claude.md", "claude.local.md", "gemini.md", "agents.md"}

// imports recursively reads the imported files. It also follows imports in code blocks, because clients recognize
// different code blocks.
func (s *search) imports() {
	depth := map[string]int{}
	for i := 0; i < len(s.Found); i++ { // the loop appends to s.Found
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

// targets returns the paths that text imports. If a path has trailing punctuation, targets returns the path with and
// without the punctuation.
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

// resolve returns the path of target, which the given file imports. If local is true, p is relative to the searched
// folder. Otherwise, the target is outside the folder, and p is absolute or begins with "~/".
func (s *search) resolve(file, target string) (p string, local bool) {
	if rest, ok := strings.CutPrefix(target, "~/"); ok {
		if s.scope != places.User {
			return target, false
		}
		target = filepath.Join(s.dir, rest)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(s.dir, filepath.FromSlash(path.Dir(file)), target)
	}
	rel, err := filepath.Rel(s.dir, target)
	if err != nil || !filepath.IsLocal(rel) {
		return target, false
	}
	return filepath.ToSlash(rel), true
}

// include reads the imported file p. It returns false if p is missing, or was already read.
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
