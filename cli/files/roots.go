// Package files implements the commands for skills and instruction files, and the parts of import, check, and watch
// that handle files instead of the tools of servers.
package files

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"toolcrib/cli/command"
	"toolcrib/cli/process"
	"toolcrib/cli/settings"
	"toolcrib/gateway/clients"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/places"
	"toolcrib/review"
	"toolcrib/store"
	"toolcrib/store/catalog"
)

// root is a folder whose files are compared with the approved files of a layer.
type root struct {
	dir   string
	scope places.Scope
	layer registry.Layer
	// partial indicates that approved files of the layer may be in other folders.
	partial bool
	// imported limits the comparison to files that files in other roots import.
	imported bool
	// search returns the files in the folder. The first call searches the folder, and later calls return the same
	// result.
	search func() (instructions.Tree, error)
}

// newRoot returns the root of the folder dir. A file in dir can import files in dir and in the home folder. Files in
// the home folder belong to the root of the home folder (see newHome). Imports of other files are rejected.
func newRoot(dir string, scope places.Scope, layer registry.Layer, home string) root {
	return root{dir: dir, scope: scope, layer: layer, partial: elsewhere(scope), search: sync.OnceValues(func() (instructions.Tree, error) {
		tree, err := instructions.Search(dir, scope)
		return refuseImports(tree, home), err
	})}
}

// elsewhere reports whether the folders of a scope are neither the project nor the home folder.
func elsewhere(scope places.Scope) bool { return scope == places.Above || scope == places.Plugin }

// localPlugins returns the roots of the plugins that Claude Code reads in folders on this machine.
func localPlugins(a *command.App, home string) ([]root, error) {
	var list []root
	for _, p := range (clients.Machine{OS: runtime.GOOS, Home: home, Project: a.Env.Dir, Getenv: a.Env.Getenv}).LocalPlugins() {
		if slices.ContainsFunc(list, func(r root) bool { return r.dir == p.Folder }) {
			continue // another plugin has the same folder
		}
		layer, err := folderLayer(p.Folder, home)
		if err != nil {
			return nil, err
		}
		list = append(list, newRoot(p.Folder, places.Plugin, layer, home))
	}
	return list, nil
}

// newHome returns the root of the home folder. It includes the files in the home folder that files in otherRoots
// import.
func newHome(home string, otherRoots []root) root {
	return root{dir: home, scope: places.User, layer: registry.LayerUser, search: sync.OnceValues(func() (instructions.Tree, error) {
		tree, err := instructions.Search(home, places.User, imports(home, otherRoots)...)
		return refuseImports(tree, home), err
	})}
}

// imports returns the files in the home folder that files in the given roots import. The paths are relative to the home
// folder.
func imports(home string, roots []root) (paths []string) {
	for _, r := range roots {
		tree, err := r.search()
		if err != nil {
			continue // the comparison reports the error
		}
		for _, i := range tree.Outside {
			if p := below(home, i.Path); p != "" {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// refuseImports adds a rejected entry to tree for each imported file that is neither in the folder of tree nor in the
// home folder.
func refuseImports(tree instructions.Tree, home string) instructions.Tree {
	for _, i := range tree.Outside {
		if below(home, i.Path) != "" {
			continue
		}
		if info, err := os.Stat(i.Path); err == nil && !info.IsDir() {
			tree.Found = append(tree.Found, instructions.Refuse(i.Path, fmt.Errorf("this file is outside the project and your home folder, but %s imports it; move the file into one of these folders, or remove the import", i.From)))
		}
	}
	return tree
}

// below returns the path of the imported file p relative to the home folder, or "" if the file is not in the home
// folder.
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

// roots returns the root for the folder in args. If args is empty, it returns the roots for the user's home folder, the
// folder of the project, the folders above it, and the folders of plugins.
//
// The folder of a project is the folder with the toolcrib.toml that contains the project's name. Without such a file,
// it is the outermost repository that contains the working directory or, outside of repositories, the working
// directory. In a home folder, only the locations that clients read are searched.
func roots(a *command.App, args []string) ([]root, error) {
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	home, homeless := a.Env.Home()
	if len(args) == 1 {
		dir := a.Path(args[0])
		if _, err := os.Stat(dir); err != nil {
			return nil, command.ReadError("folder", args[0], err)
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
	if named || !contains(dir, home) {
		layer, err := projectLayer(dir, c.Project)
		if err != nil {
			return nil, err
		}
		list = append(list, newRoot(dir, places.Project, layer, home))
	}
	plugins, err := localPlugins(a, home)
	if err != nil {
		return nil, err
	}
	list = append(list, plugins...)
	if isDir(home) {
		list = append([]root{newHome(home, list)}, list...)
	}
	if len(list) == 0 {
		return nil, process.Usagef("specify a folder: %v", cmp.Or(homeless, fmt.Errorf("the home folder %s does not exist", home)))
	}
	return list, nil
}

// sessionRoots returns the folders from which clients read files in a session. dirs contains the working folders of the
// session. For each working folder, the result contains the outermost repository around it, and the folders above that
// repository. The result also contains the user's home folder, the folders of plugins, and clientHome if this is
// another home folder. Neither files of the project nor repositories inside it affect the result.
//
// A project name in a toolcrib.toml is used only after `toolcrib trust`, because an untrusted file could select the
// approvals of another project. If sessionRoots ignored such a name, note informs the user.
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
		if !contains(dir, home) {
			name := c.Project
			if name == "" {
				var trusted bool
				if name, trusted, err = settings.ProjectName(a.Env, dir); err != nil {
					return nil, "", err
				}
				if name != "" && !trusted {
					note = fmt.Sprintf(" %s specifies the project %s; sessions use this project only after you run toolcrib trust.", filepath.Join(dir, settings.ConfigName), name)
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
	plugins, err := localPlugins(a, home)
	if err != nil {
		return nil, "", err
	}
	add(plugins...)
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

// outermost returns the folder of the project that contains dir: the outermost folder with a .git or a toolcrib.toml,
// or dir if there is no such folder. An inner repository is not used, because it may be part of the project's files.
// World-writable folders are not used, because any account can create a repository there. The search ends before it
// reaches a folder that contains the home folder, and before the root of the file system.
func outermost(dir, home string) string {
	top := dir
	for at := dir; at != filepath.Dir(at) && !contains(at, home); at = filepath.Dir(at) {
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

// above returns the folders above the project in dir, in which clients also read CLAUDE.md and AGENTS.md. The result
// does not contain the home folder. If dir contains the home folder, dir is not a project, and the result contains dir,
// too. The layer of each folder is named after the path of the folder.
func above(dir, home string) ([]root, error) {
	if !contains(dir, home) {
		dir = filepath.Dir(dir)
	}
	var list []root
	for at := dir; ; at = filepath.Dir(at) {
		if !settings.SameFile(at, home) {
			layer, err := folderLayer(at, home)
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

// folderLayer returns the layer of dir, a folder outside of the project. The layer is named after the path of dir.
func folderLayer(dir, home string) (registry.Layer, error) {
	layer, err := projectLayer(dir, cmp.Or(projectName(cmp.Or(below(home, dir), filepath.ToSlash(dir))), "root"))
	if err != nil { // the path is too long for a name
		layer, err = projectLayer(dir, "above-"+registry.HashBytes([]byte(dir))[:16])
	}
	return layer, err
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// contains reports whether dir and folder are the same, or dir is an ancestor of folder.
func contains(dir, folder string) bool {
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

// projectName converts the name of a folder to a valid project name.
func projectName(folder string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, folder), ".-_")
}

// projectLayer returns the layer of the given project. If project is "", the project is named after the folder dir.
func projectLayer(dir, project string) (registry.Layer, error) {
	if project == "" {
		project = projectName(filepath.Base(filepath.Clean(dir)))
	}
	layer, err := registry.ParseLayer(string(registry.ProjectLayer(project)))
	if err != nil {
		return "", process.Usagef("cannot derive the name of a project from %s; specify a name with --project", dir)
	}
	return layer, nil
}

func approvedOf(entries []catalog.Entry) []instructions.Approved {
	return lists.Map(entries, func(e catalog.Entry) instructions.Approved {
		return instructions.Approved{Subject: e.Subject, Path: e.Name, Hash: e.ContentHash, Active: e.Status == registry.Active}
	})
}

// liveFiles returns the live skills and instructions of the given layer. It omits entries that fail verification,
// because files on disk are compared with the hashes in these entries.
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

// openOn returns the proposals in the given states for skills and instructions of the given layer.
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

// openStates returns the states of open proposals.
func openStates() []proposals.State {
	return slices.DeleteFunc(proposals.States(), func(s proposals.State) bool { return !s.Open() })
}
