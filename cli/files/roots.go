// Package files implements the commands for skills and instruction files: how import, check, watch, and restore work on
// files instead of servers' tools.
package files

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/places"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// root is a folder whose files are compared with a layer.
type root struct {
	dir   string
	scope places.Scope
	layer registry.Layer
	// partial is set if approved files of the layer may be elsewhere.
	partial bool
	// imported is set if only files that other roots import are compared.
	imported bool
	// search returns the files below the folder. It searches once.
	search func() (instructions.Tree, error)
}

// newRoot returns a root. Files that it imports from below home belong to the root of home;
// imported files elsewhere are refused.
func newRoot(dir string, scope places.Scope, layer registry.Layer, home string) root {
	return root{dir: dir, scope: scope, layer: layer, partial: scope == places.Above, search: sync.OnceValues(func() (instructions.Tree, error) {
		tree, err := instructions.Search(dir, scope)
		return refuseImports(tree, home), err
	})}
}

// newHome returns the root of a home folder, including files that the files of others import.
func newHome(home string, others []root) root {
	return root{dir: home, scope: places.User, layer: registry.LayerUser, search: sync.OnceValues(func() (instructions.Tree, error) {
		tree, err := instructions.Search(home, places.User, imports(home, others)...)
		return refuseImports(tree, home), err
	})}
}

// imports returns the paths below home of files that the files of roots import.
func imports(home string, roots []root) (paths []string) {
	for _, r := range roots {
		tree, err := r.search()
		if err != nil {
			continue // comparing it reports the error
		}
		for _, i := range tree.Outside {
			if p := below(home, i.Path); p != "" {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// refuseImports adds the imported files that are neither below the tree's folder nor below
// the home folder, as refused.
func refuseImports(tree instructions.Tree, home string) instructions.Tree {
	for _, i := range tree.Outside {
		if below(home, i.Path) != "" {
			continue
		}
		if info, err := os.Stat(i.Path); err == nil && !info.IsDir() {
			tree.Found = append(tree.Found, instructions.Refuse(i.Path, fmt.Errorf("is imported by %s and is outside of the project and of your home; move it there, or remove the import", i.From)))
		}
	}
	return tree
}

// below returns the path of an imported file below a home folder, or "".
func below(home, p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		p = filepath.Join(home, rest)
	}
	rel, err := filepath.Rel(home, p)
	if home == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// roots returns the folder that args name, or the user's home, the folder of the project,
// and the folders above it. The folder of a project is that of its toolcrib.toml; if that
// does not name the project, it is the outermost repository around the working directory, or
// the working directory. A home folder is searched only where clients look.
func roots(a *command.App, args []string) ([]root, error) {
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	home, homeless := a.Env.Home()
	if len(args) == 1 {
		dir := a.Path(args[0])
		if _, err := os.Stat(dir); err != nil {
			return nil, command.Unread("folder", args[0], err)
		}
		if settings.SameFile(dir, home) {
			return []root{newHome(home, nil)}, nil
		}
		layer, err := projectLayer(dir, c.Project)
		list := []root{newRoot(dir, places.Project, layer, home)}
		if paths := imports(home, list); len(paths) > 0 {
			r := newHome(home, list)
			whole := r.search
			r.partial, r.imported = true, true
			r.search = sync.OnceValues(func() (instructions.Tree, error) {
				tree, err := whole()
				tree.Found = slices.DeleteFunc(slices.Clone(tree.Found), func(f instructions.Found) bool { return !slices.Contains(paths, f.Path) })
				return tree, err
			})
			list = append(list, r)
		}
		return list, err
	}
	dir, err := filepath.EvalSymlinks(a.Env.Dir)
	if err != nil {
		return nil, err
	}
	dir = outermost(dir, home)
	named := c.ProjectFile != "" && c.Project != ""
	if named {
		dir = filepath.Dir(c.ProjectFile)
	}
	list, err := above(dir, home)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(r root) bool {
		tree, err := r.search()
		return err == nil && len(tree.Found) == 0
	})
	if named || !holds(dir, home) {
		layer, err := projectLayer(dir, c.Project)
		if err != nil {
			return nil, err
		}
		list = append(list, newRoot(dir, places.Project, layer, home))
	}
	if isDir(home) {
		list = append([]root{newHome(home, list)}, list...)
	}
	if len(list) == 0 {
		return nil, process.Usagef("name a folder: %v", cmp.Or(homeless, fmt.Errorf("the home folder %s does not exist", home)))
	}
	return list, nil
}

// sessionRoots returns the folders whose files the clients of a session in dirs read: the outermost repository around
// each, the folders above it, the user's home, and the client's own home folder if it differs. Files of the project,
// and repositories inside it, cannot change this result. A project name from a toolcrib.toml is used only after
// `toolcrib trust`, because an untrusted file could choose the approvals of another project. The note reports this.
func sessionRoots(a *command.App, dirs []string, clientHome string) (list []root, note string, err error) {
	c, err := a.Settings()
	if err != nil {
		return nil, "", err
	}
	home, err := a.Env.Home()
	if err != nil {
		return nil, "", err
	}
	known := map[string]bool{}
	add := func(more ...root) {
		for _, r := range more {
			if key := fmt.Sprint(r.scope, r.dir); !known[key] {
				known[key] = true
				list = append(list, r)
			}
		}
	}
	for _, dir := range dirs {
		if dir, err = filepath.EvalSymlinks(dir); err != nil {
			return nil, "", err
		}
		dir = outermost(dir, home)
		if !holds(dir, home) {
			name := c.Project
			if name == "" {
				var trusted bool
				if name, trusted, err = settings.ProjectName(a.Env, dir); err != nil {
					return nil, "", err
				}
				if name != "" && !trusted {
					note = fmt.Sprintf(" %s names the project %s, which sessions use after toolcrib trust.", filepath.Join(dir, settings.ConfigName), name)
					name = ""
				}
			}
			layer, err := projectLayer(dir, name)
			if err != nil {
				return nil, "", err
			}
			add(newRoot(dir, places.Project, layer, home))
		}
		folders, err := above(dir, home)
		if err != nil {
			return nil, "", err
		}
		add(folders...)
	}
	others := slices.Clone(list)
	if isDir(home) {
		add(newHome(home, others))
	}
	if filepath.IsAbs(clientHome) && !settings.SameFile(clientHome, home) && isDir(clientHome) {
		r := newHome(clientHome, others)
		r.partial = true
		add(r)
	}
	return list, note, nil
}

// outermost returns the folder of the project that contains dir: the outermost one with a
// .git or a toolcrib.toml, below the home folder and the root of the file system, or dir.
// Nested repositories are ignored, because the project's files can include one, and so are
// world-writable folders, because any account can create one there.
func outermost(dir, home string) string {
	top := dir
	for at := dir; at != filepath.Dir(at) && !holds(at, home); at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil || info.Mode().Perm()&0o002 != 0 {
			continue
		}
		for _, name := range []string{".git", settings.ConfigName} {
			if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
				top = at
			}
		}
	}
	return top
}

// above returns the folders above a project's, without the home folder, because clients read
// CLAUDE.md and AGENTS.md there. It includes dir if that holds the home folder, because it
// cannot be a project. The layer of each is named after its path.
func above(dir, home string) ([]root, error) {
	if !holds(dir, home) {
		dir = filepath.Dir(dir)
	}
	var list []root
	for at := dir; ; at = filepath.Dir(at) {
		if !settings.SameFile(at, home) {
			layer, err := projectLayer(at, cmp.Or(projectName(cmp.Or(below(home, at), filepath.ToSlash(at))), "root"))
			if err != nil { // the path is too long for a name
				layer, err = projectLayer(at, "above-"+registry.HashBytes([]byte(at))[:16])
			}
			if err != nil {
				return nil, err
			}
			list = append(list, newRoot(at, places.Above, layer, home))
		}
		if at == filepath.Dir(at) {
			return list, nil
		}
	}
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// holds reports whether dir is folder or above it.
func holds(dir, folder string) bool {
	for at := folder; at != ""; at = filepath.Dir(at) {
		if settings.SameFile(dir, at) {
			return true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return false
}

// projectName converts the name of a folder to the name of a project.
func projectName(folder string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, folder), ".-_")
}

// projectLayer returns the layer of a project, which is named after its folder by default.
func projectLayer(dir, project string) (registry.Layer, error) {
	if project == "" {
		project = projectName(filepath.Base(filepath.Clean(dir)))
	}
	layer, err := registry.ParseLayer(string(registry.ProjectLayer(project)))
	if err != nil {
		return "", process.Usagef("cannot derive the name of a project from %s; name it with --project", dir)
	}
	return layer, nil
}

func approvedOf(entries []catalog.Entry) []instructions.Approved {
	return output.Mapped(entries, func(e catalog.Entry) instructions.Approved {
		return instructions.Approved{Subject: e.Subject, Path: e.Name, Hash: e.ContentHash, Active: e.Status == registry.Active}
	})
}

// liveFiles returns the live skills and instructions of a layer. Each was compared with its
// definition, because files are compared with these hashes.
func liveFiles(ctx context.Context, db *store.DB, layer registry.Layer) ([]catalog.Entry, error) {
	var all []catalog.Entry
	for _, kind := range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
		found, err := db.Export(ctx, catalog.Query{Kind: kind, All: true})
		if err != nil {
			return nil, err
		}
		for _, e := range found {
			if e.Subject.Layer == layer && e.Refused == nil {
				all = append(all, e.Entry)
			}
		}
	}
	return all, nil
}

// openOn returns the proposals on skills and instructions of a layer in some states.
func openOn(ctx context.Context, db *store.DB, layer registry.Layer, states ...proposals.State) ([]review.Bundle, error) {
	var open []review.Bundle
	err := db.View(ctx, func(r review.Reader) error {
		open = nil
		q := review.Query{Limit: review.MaxPage}
		for _, q.State = range states {
			for _, kind := range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
				q.Filter = string(kind) + ":"
				for more := true; more; more = q.After != "" {
					page, err := r.List(ctx, q)
					if err != nil {
						return err
					}
					var ids []proposals.ID
					for _, p := range page.Proposals {
						if p.Subject.Layer == layer && p.Subject.Kind == kind {
							ids = append(ids, p.ID)
						}
					}
					found, err := r.Bundles(ctx, ids)
					if err != nil {
						return err
					}
					open, q.After = append(open, found...), page.Next
				}
			}
		}
		return nil
	})
	return open, err
}

// openStates are the states in which a proposal can still be decided, revised, or withdrawn.
func openStates() []proposals.State {
	return slices.DeleteFunc(proposals.States(), func(s proposals.State) bool { return !s.Open() })
}
