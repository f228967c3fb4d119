// This file compares files with their approved versions. The approved versions come from the database or from the
// registry that this machine follows.

package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/cli/report"
	"toolcrib/gateway/follow"
	"toolcrib/gateway/instructions"
	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/places"
	"toolcrib/review"
	"toolcrib/store"
)

// Rules lists the rules of check --files.
var Rules = []findings.Rule{
	{ID: "K201", Name: "changed-file", Severity: "block", Doc: "A skill or an instruction file differs from its approved version.", Suggestion: "Propose the change with `toolcrib import --files` and review the proposal, or restore the approved version with `toolcrib restore SUBJECT`."},
	{ID: "K202", Name: "new-file", Severity: "block", Doc: "Agents read a skill or an instruction file that was never approved.", Suggestion: "Propose the file with `toolcrib import --files`, or delete the file."},
	{ID: "K203", Name: "missing-file", Severity: "warn", Doc: "An approved skill or instruction file is missing.", Suggestion: "Restore the file with `toolcrib restore SUBJECT`, or propose its deactivation with `toolcrib import --files`."},
	{ID: "K204", Name: "unreadable-file", Severity: "block", Doc: "A skill or an instruction file cannot be read safely, so its content is unknown.", Suggestion: "Fix the problem that the message describes."},
	{ID: "K205", Name: "file-in-use", Severity: "block", Doc: "Agents read a skill or an instruction file that was deactivated.", Suggestion: "Delete the file, or reactivate the definition with `toolcrib rollback`."},
}

// rulesByChange maps changes to indexes in Rules.
var rulesByChange = map[instructions.Change]int{instructions.Changed: 0, instructions.New: 1, instructions.Missing: 2, instructions.Unreadable: 3, instructions.Withdrawn: 4}

// Check compares the files in the folders that args select with their approved versions. It takes the approved versions
// from locked or, if locked is nil, from the registry.
func Check(ctx context.Context, a *command.App, args []string, locked []instructions.Approved) (report.Findings, error) {
	list, err := roots(a, args)
	if err != nil {
		return report.Findings{}, err
	}
	return check(ctx, a, list, locked, "")
}

// check compares the files in the given roots with their approved versions. If client is not "", it compares only files
// that this client reads. The parameter locked is as in Check.
func check(ctx context.Context, a *command.App, list []root, locked []instructions.Approved, client string) (report.Findings, error) {
	var found []findings.Finding
	var folders []report.Folder
	var unchecked []string
	compared := 0
	for _, r := range list {
		differences, tree, err := r.compare(ctx, a, locked)
		if err != nil {
			return report.Findings{}, err
		}
		if following, err := a.Following(); err == nil && following != nil && locked == nil {
			if err := following.ReportFiles(ctx, r.layer, differences, client != ""); err != nil {
				a.Note("The differences were not reported to the followed registry: %v.", err)
			}
		}
		var waiting []review.Bundle
		if len(differences) > 0 && locked == nil && a.DB != nil {
			if waiting, err = openOn(ctx, a.DB, r.layer, proposals.UserReview); err != nil {
				return report.Findings{}, err
			}
		}
		for _, d := range differences {
			layer := r.layer
			if r.scope == places.User {
				layer = registry.LayerUser
			}
			if place, known := places.Find(d.Kind, layer, d.Path); known && !place.ReadBy(client) && !slices.Contains(tree.Imported, d.Path) {
				continue
			}
			f, err := r.finding(ctx, a, d, locked != nil)
			if err != nil {
				return report.Findings{}, err
			}
			at := slices.IndexFunc(waiting, func(b review.Bundle) bool {
				folder := b.Revision.Draft.Definition.Folder()
				return folder != nil && folder.Path == d.Path
			})
			if at >= 0 && d.Found != nil {
				f.Suggestion = "The change is already proposed: review it with toolcrib show " + review.Reference(waiting[at].Proposal) + "."
			}
			found = append(found, f)
		}
		compared += len(tree.Found)
		folders = append(folders, report.Folder{Folder: r.dir, Layer: string(r.layer)})
		unchecked = append(unchecked, r.unchecked(tree)...)
	}
	doc := report.New(len(found) == 0, found)
	doc.Folders, doc.Unchecked, doc.Counts["looked_at"] = folders, unchecked, int64(compared)
	return doc, nil
}

// NoteFolders prints to standard error which folders a check compared, and which files in them it did not compare.
// Without this information, users would not notice that a toolcrib.toml limits the check to a smaller folder than a
// session reads.
func NoteFolders(a *command.App, r report.Findings) {
	a.Note("Checked: %s.", strings.Join(lists.Map(r.Folders, func(f report.Folder) string { return f.Folder + " (" + f.Layer + ")" }), ", "))
	NoteUnchecked(r.Unchecked, a.Note)
}

// NoteUnchecked prints the names of files that clients read, but that toolcrib cannot check.
func NoteUnchecked(names []string, note func(string, ...any)) {
	if len(names) > 0 {
		note("Not checked, although clients read these files: %s.", unreadNames(names))
	}
}

// Unchecked returns the files in the home folder and in the project that clients read, but that toolcrib cannot check.
func Unchecked(a *command.App) ([]string, error) {
	names := []string{}
	list, err := roots(a, nil)
	if err != nil {
		return names, err
	}
	for _, r := range list {
		tree, err := r.search()
		if err != nil {
			return names, err
		}
		names = append(names, r.unchecked(tree)...)
	}
	return names, nil
}

func (r root) unchecked(tree instructions.Tree) []string {
	return lists.Map(tree.Unchecked, func(p string) string { return r.named(jsondoc.Printable(p)) })
}

// compare compares the files in r with their approved versions. It returns the differences, and all files in r. The
// parameter locked is as in Check.
func (r root) compare(ctx context.Context, a *command.App, locked []instructions.Approved) ([]instructions.Difference, instructions.Tree, error) {
	approved, err := r.approved(ctx, a, locked)
	if err != nil {
		return nil, instructions.Tree{}, err
	}
	tree, err := r.with(approved)
	if err != nil {
		return nil, tree, err
	}
	return r.differences(tree, approved), tree, nil
}

func (r root) differences(tree instructions.Tree, approved []instructions.Approved) []instructions.Difference {
	return slices.DeleteFunc(instructions.Compare(tree.Found, approved), func(d instructions.Difference) bool {
		return r.partial && d.Change == instructions.Missing
	})
}

// with searches r for files, and adds the approved files in places that the search does not cover.
func (r root) with(approved []instructions.Approved) (instructions.Tree, error) {
	tree, err := r.search()
	if err != nil || r.imported {
		return tree, err
	}
	return tree.With(approved)
}

// approved returns the approved files for r. They come from locked or, if locked is nil, from the registry.
func (r root) approved(ctx context.Context, a *command.App, locked []instructions.Approved) ([]instructions.Approved, error) {
	if locked != nil {
		if elsewhere(r.scope) {
			return nil, nil // lock files do not list files in these folders
		}
		return lists.Filter(locked, func(l instructions.Approved) bool { // the layer of a project may have another name in the lock file
			return (l.Subject.Layer == registry.LayerUser) == (r.scope == places.User)
		}), nil
	}
	from, err := approvalsOf(ctx, a)
	if errors.Is(err, store.ErrNoDatabase) {
		return nil, nil // no definition has been approved yet
	}
	if err != nil {
		return nil, err
	}
	return from.in(ctx, r.layer)
}

// finding returns the finding for the difference d. It lists the changed files of a skill unless lock is set. With
// lock, the approved versions are from a lock file, which contains only hashes.
func (r root) finding(ctx context.Context, a *command.App, d instructions.Difference, lock bool) (findings.Finding, error) {
	rule := Rules[rulesByChange[d.Change]]
	file := d.Path
	if d.Kind == registry.KindSkill {
		file = path.Join(file, registry.SkillFile)
	}
	f := findings.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, File: r.shown(file), Subject: d.Subject.String(), Line: 1, Column: 1, Suggestion: rule.Suggestion,
	}
	name := jsondoc.Printable(d.Path) // the path may contain line breaks
	if elsewhere(r.scope) {
		name = jsondoc.Printable(r.named(d.Path)) // the path may contain names that a plugin marketplace chose
	}
	var live registry.Live
	if s := d.Subject; !lock && (d.Change == instructions.Changed || d.Change == instructions.New) {
		if d.Change == instructions.New { // the live version of the subject may not be trusted
			s = registry.Subject{Kind: d.Kind, Layer: r.layer, ID: instructions.NewID(d.Kind, d.Path, func(string) bool { return false })}
		}
		from, err := approvalsOf(ctx, a)
		if err == nil {
			live, err = from.Live(ctx, s)
		}
		if err != nil && d.Change == instructions.Changed {
			return f, err
		}
	}
	switch d.Change {
	case instructions.Changed:
		f.Message = name + " differs from its approved version."
		if lock {
			break
		}
		changes := instructions.Files(*live.Definition.Folder(), d.Found.Folder)
		f.Message = fmt.Sprintf("%s differs from its approved version %d: %s.", name, live.Version, instructions.ListChanges(changes))
		if i := slices.IndexFunc(changes, func(c instructions.FileChange) bool { return c.Change != instructions.Missing }); i >= 0 && d.Kind == registry.KindSkill {
			f.File = r.shown(path.Join(d.Path, changes[i].Path))
		}
	case instructions.New:
		f.Message = fmt.Sprintf("%s was never approved, and agents read it (%s).", name, d.Found.Client)
		if live.Refused != nil {
			f.Message = fmt.Sprintf("%s has no valid approval, and agents read it (%s): %s.", name, d.Found.Client, live.Refused)
		}
	case instructions.Missing:
		f.Message = name + " was approved and is missing."
	case instructions.Withdrawn:
		f.Message = name + " was deactivated, and agents still read it."
	case instructions.Unreadable:
		f.Message = d.Found.Err.Error() + "."
	}
	return f, nil
}

// shown returns the path of the file p in r for a finding. In the project, this path is relative to the project, as
// code scanning requires.
func (r root) shown(p string) string {
	if r.scope == places.Project {
		return p
	}
	return r.named(p)
}

// named converts p, a path relative to the folder of r, to a path for display. The result begins with "~" if r is the
// home folder, and with the path of the folder otherwise.
func (r root) named(p string) string {
	if r.scope == places.User {
		return path.Join("~", p)
	}
	return path.Join(filepath.ToSlash(r.dir), p)
}

// Locked returns the approved files that the lock l lists.
func Locked(l conform.Lock) ([]instructions.Approved, error) {
	approved := []instructions.Approved{}
	for _, f := range l.Files {
		s, err := registry.ParseSubject(f.Subject)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", conform.ErrLock, err)
		}
		approved = append(approved, instructions.Approved{Subject: s, Path: f.Path, Hash: f.ContentHash, Active: true})
	}
	return approved, nil
}

// approvals reads the approved skills and instruction files in the database, or in the registry that this machine
// follows.
type approvals interface {
	in(ctx context.Context, layer registry.Layer) ([]instructions.Approved, error)
	Live(ctx context.Context, s registry.Subject) (registry.Live, error)
	content(ctx context.Context, sha256 string) ([]byte, bool, error)
}

// approvalsOf returns the approvals that apply on this machine. The error wraps store.ErrNoDatabase if no database
// exists.
func approvalsOf(ctx context.Context, a *command.App) (approvals, error) {
	following, err := a.Following()
	if err != nil {
		return nil, err
	}
	if following != nil {
		r, err := following.Copy.Files(ctx)
		own, failed := following.Own(ctx, a)
		if err != nil || failed != nil || !own {
			return followed{r}, cmp.Or(err, failed)
		}
		return both{followed{r}, database{a.DB}}, nil
	}
	db, err := a.Database(ctx)
	return database{db}, err
}

type database struct{ db *store.DB }

func (d database) in(ctx context.Context, layer registry.Layer) ([]instructions.Approved, error) {
	entries, err := liveFiles(ctx, d.db, layer)
	return approvedOf(entries), err
}

func (d database) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	return command.ReadView(ctx, d.db.View, func(r review.Reader) (registry.Live, error) { return r.Live(ctx, s) })
}

func (d database) content(ctx context.Context, sha256 string) ([]byte, bool, error) {
	return d.db.Content(ctx, sha256)
}

// both combines the approvals of the followed registry with the approvals in the local database. If a file has both
// approvals, the approval of the registry applies.
type both struct {
	followed
	own database
}

func (b both) in(ctx context.Context, layer registry.Layer) ([]instructions.Approved, error) {
	approved, err := b.followed.in(ctx, layer)
	if err != nil {
		return nil, err
	}
	own, err := b.own.in(ctx, layer)
	return append(approved, slices.DeleteFunc(own, func(o instructions.Approved) bool {
		return slices.ContainsFunc(approved, func(f instructions.Approved) bool {
			return f.Subject == o.Subject || f.Subject.Kind == o.Subject.Kind && f.Path == o.Path
		})
	})...), err
}

func (b both) Live(ctx context.Context, s registry.Subject) (registry.Live, error) {
	live, err := b.followed.Live(ctx, s)
	if errors.Is(err, proposals.ErrNotFound) {
		return b.own.Live(ctx, s)
	}
	return live, err
}

func (b both) content(ctx context.Context, sha256 string) ([]byte, bool, error) {
	data, ok, err := b.followed.content(ctx, sha256)
	if err != nil || ok {
		return data, ok, err
	}
	return b.own.content(ctx, sha256)
}

type followed struct{ *follow.Registry }

func (f followed) in(_ context.Context, layer registry.Layer) ([]instructions.Approved, error) {
	var approved []instructions.Approved
	for _, l := range f.Lives {
		if folder := l.Definition.Folder(); folder != nil && l.Subject.Layer == layer {
			approved = append(approved, instructions.Approved{Subject: l.Subject, Path: folder.Path, Hash: l.ContentHash, Active: folder.Status != registry.Deactivated})
		}
	}
	return approved, nil
}

func (f followed) content(_ context.Context, sha256 string) ([]byte, bool, error) {
	data, ok := f.Content(sha256)
	return data, ok, nil
}
