// Package files holds the commands about skills and instruction files: what import,
// check, watch and restore do with files instead of the tools of servers.
package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/output"
	"toolcrib/cli/process"
	"toolcrib/gateway/instructions"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/review"
	"toolcrib/store"
)

// root is a folder whose files are compared with a layer.
type root struct {
	dir   string
	scope instructions.Scope
	layer registry.Layer
}

// roots returns the folder that args names, else the user's home and the project's
// folder. Without a project that is the git repository around the working directory, or
// this directory itself; a home is searched where clients look, and never whole.
func roots(a *command.App, args []string) ([]root, error) {
	c, err := a.Settings()
	if err != nil {
		return nil, err
	}
	home, homeless := a.Env.Home()
	user := root{home, instructions.User, registry.LayerUser}
	if len(args) == 1 {
		dir := a.Path(args[0])
		if same(dir, home) {
			return []root{user}, nil
		}
		r, err := projectRoot(dir, c.Project)
		return []root{r}, err
	}
	var list []root
	if home != "" {
		list = append(list, user)
	}
	dir := repository(a.Env.Dir)
	if holds(dir, home) {
		dir = a.Env.Dir // the home is a repository
	}
	switch {
	case c.ProjectFile != "" && c.Project != "":
		dir = filepath.Dir(c.ProjectFile)
	case c.Project != "":
		dir = a.Env.Dir
	}
	if c.Project != "" || !holds(dir, home) {
		r, err := projectRoot(dir, c.Project)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil, process.Usagef("name a folder: %v", homeless)
	}
	return list, nil
}

// repository returns the git repository that a folder lies in, else the folder.
func repository(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// holds reports whether dir is a folder, or lies above it.
func holds(dir, folder string) bool {
	for at := folder; at != ""; at = filepath.Dir(at) {
		if same(dir, at) {
			return true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return false
}

// same reports whether two paths are one folder.
func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// projectRoot returns the root of a project's folder. A project without a name has that
// of the folder.
func projectRoot(dir, project string) (root, error) {
	if project == "" {
		project = strings.Trim(strings.Map(func(r rune) rune {
			if r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
				return r
			}
			return '-'
		}, filepath.Base(filepath.Clean(dir))), ".-_")
	}
	layer, err := registry.ParseLayer(string(registry.ProjectLayer(project)))
	if err != nil {
		return root{}, process.Usagef("%s makes no name for a project; name it with --project", dir)
	}
	return root{dir, instructions.Project, layer}, nil
}

// approvedIn returns what was approved of the files of a layer.
func approvedIn(ctx context.Context, db *store.DB, layer registry.Layer) ([]instructions.Approved, error) {
	entries, err := catalog(ctx, db, layer)
	return approvedOf(entries), err
}

func approvedOf(entries []store.CatalogEntry) []instructions.Approved {
	return output.Mapped(entries, func(e store.CatalogEntry) instructions.Approved {
		return instructions.Approved{Subject: e.Subject, Path: e.Name, Hash: e.ContentHash, Active: e.Status == registry.Active}
	})
}

// catalog returns the live skills and instructions of a layer.
func catalog(ctx context.Context, db *store.DB, layer registry.Layer) ([]store.CatalogEntry, error) {
	var all []store.CatalogEntry
	for _, kind := range []registry.Kind{registry.KindSkill, registry.KindInstructions} {
		for q := (store.CatalogQuery{Kind: kind, All: true, Limit: review.MaxPage}); ; {
			page, err := db.Catalog(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, e := range page.Entries {
				if e.Subject.Layer == layer && e.Refused == nil {
					all = append(all, e)
				}
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
	}
	return all, nil
}

// live returns the approved definition of a skill or of instructions.
func live(ctx context.Context, db *store.DB, s registry.Subject) (registry.Live, error) {
	e, text, err := db.Find(ctx, store.CatalogQuery{Kind: s.Kind, All: true}, s.String())
	if err != nil {
		return registry.Live{}, err
	}
	d, err := registry.DecodeDefinition(s.Kind, text)
	return registry.Live{Subject: e.Subject, Version: e.Version, ContentHash: e.ContentHash, Definition: d}, err
}

// openOn returns the open proposals on skills and instructions of a layer.
func openOn(ctx context.Context, db *store.DB, layer registry.Layer) ([]review.Bundle, error) {
	var open []review.Bundle
	err := db.View(ctx, func(r review.Reader) error {
		open = nil
		for _, state := range []proposals.State{proposals.Drafted, proposals.ChiefReview, proposals.UserReview, proposals.NeedsChanges} {
			for q := (review.Query{State: state, Limit: review.MaxPage}); ; {
				page, err := r.List(ctx, q)
				if err != nil {
					return err
				}
				var ids []proposals.ID
				for _, p := range page.Proposals {
					if p.Subject.Layer == layer && p.Subject.Kind.InFiles() {
						ids = append(ids, p.ID)
					}
				}
				found, err := r.Bundles(ctx, ids)
				if err != nil {
					return err
				}
				open = append(open, found...)
				if q.After = page.Next; q.After == "" {
					break
				}
			}
		}
		return nil
	})
	return open, err
}
