package instructions

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
	"toolcrib/registry/places"
)

// Import is an import of a file outside of the folder.
type Import struct {
	From string // file with the import, relative to the folder
	Path string // absolute path, or "~/" and a path relative to the home
}

// maxImports is the maximum depth of imports: Claude Code follows 5
// (code.claude.com/docs/en/memory), and so does Gemini CLI by default
// (geminicli.com/docs/reference/memport).
const maxImports = 5

// importPattern matches an import of Claude Code and Gemini CLI: "@" and a path, in
// which spaces are escaped.
var importPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|\s)@((?:[^\s\\]|\\.)+)`) })

// importers lists the files with imports that clients follow. AGENTS.md is included
// because Gemini CLI can be configured to read it, and Claude Code reads it if
// CLAUDE.md imports it.
var importers = []string{"claude.md", "claude.local.md", "gemini.md", "agents.md"}

// imports adds imported files recursively. Imports in code blocks count, because
// clients differ in recognizing these.
func (s *search) imports() {
	depth := map[string]int{}
	for i := 0; i < len(s.Found); i++ { // grows in the loop
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

// targets returns the paths that a text imports, with and without punctuation at
// the end.
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

// resolve returns the path of an import in the file from: relative to the searched
// folder if it is local, and otherwise as written.
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

// include reads an imported file and reports whether it is new. It ignores missing
// files.
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
