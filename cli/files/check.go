package files

import (
	"context"
	"errors"
	"fmt"
	"path"

	"toolcrib/cli/command"
	"toolcrib/cli/findings"
	"toolcrib/gateway/instructions"
	"toolcrib/registry"
	"toolcrib/registry/conform"
	"toolcrib/registry/jsondoc"
	"toolcrib/store"
)

// Rules are what check --files finds, for lists of rules.
func Rules() []findings.Rule {
	return []findings.Rule{
		{ID: "K201", Name: "changed-file", Severity: "block", Doc: "A skill or a file of instructions is not as it was approved.", Help: "Look at the change with `toolcrib import --files` and decide, or put the approved bytes back with `toolcrib restore`."},
		{ID: "K202", Name: "new-file", Severity: "block", Doc: "A skill or a file of instructions was never approved, and agents read it.", Help: "Propose it with `toolcrib import --files`, or delete it."},
		{ID: "K203", Name: "missing-file", Severity: "warn", Doc: "An approved skill or file of instructions is not there.", Help: "Put it back with `toolcrib restore`, or propose to take it out of use with `toolcrib import --files`."},
		{ID: "K204", Name: "unreadable-file", Severity: "block", Doc: "A skill or a file of instructions cannot be read safely, so nobody knows what it says.", Help: "Take away what the message names."},
		{ID: "K205", Name: "file-in-use", Severity: "block", Doc: "A skill or a file of instructions was taken out of use, and agents still read it.", Help: "Delete it, or use it again with `toolcrib reactivate`."},
	}
}

// ruleOf are the rules by change.
func ruleOf(c instructions.Change) findings.Rule {
	at := map[instructions.Change]int{instructions.Changed: 0, instructions.New: 1, instructions.Missing: 2, instructions.Unreadable: 3, instructions.Withdrawn: 4}
	return Rules()[at[c]]
}

// Check compares the files of folders with what was approved, in the registry or in the
// lock of locked.
func Check(ctx context.Context, a *command.App, args []string, locked []instructions.Approved) ([]findings.Finding, error) {
	list, err := roots(a, args)
	if err != nil {
		return nil, err
	}
	found := []findings.Finding{}
	for _, r := range list {
		differences, _, err := r.compare(ctx, a, locked)
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			f, err := r.finding(ctx, a, d, locked != nil)
			if err != nil {
				return nil, err
			}
			found = append(found, f)
		}
	}
	return found, nil
}

// compare returns what differs below a folder, and how many skills and files are there.
func (r root) compare(ctx context.Context, a *command.App, locked []instructions.Approved) ([]instructions.Difference, int, error) {
	approved, err := r.approved(ctx, a, locked)
	if err != nil {
		return nil, 0, err
	}
	tree, err := instructions.Search(r.dir, r.scope, approved)
	if err != nil {
		return nil, 0, err
	}
	return instructions.Compare(tree.Found, approved), len(tree.Found), nil
}

// approved returns what was approved of the files below a folder, in the registry or in
// the lock of locked.
func (r root) approved(ctx context.Context, a *command.App, locked []instructions.Approved) ([]instructions.Approved, error) {
	if locked != nil {
		var approved []instructions.Approved
		for _, l := range locked { // a lock is of one project, whatever it is called here
			if (l.Subject.Layer == registry.LayerUser) == (r.scope == instructions.User) {
				approved = append(approved, l)
			}
		}
		return approved, nil
	}
	db, err := a.Database(ctx)
	if errors.Is(err, store.ErrNoDatabase) {
		return nil, nil // nothing was ever approved
	}
	if err != nil {
		return nil, err
	}
	return approvedIn(ctx, db, r.layer)
}

// finding reports one skill or file; where the registry is at hand, which
// files of a skill changed.
func (r root) finding(ctx context.Context, a *command.App, d instructions.Difference, lock bool) (findings.Finding, error) {
	rule := ruleOf(d.Change)
	f := findings.Finding{
		Rule: rule.ID, Name: rule.Name, Severity: rule.Severity, File: r.file(d), Subject: d.Subject.String(), Line: 1, Column: 1, Suggestion: rule.Help,
	}
	name := jsondoc.Printable(d.Path) // whoever names a file may break lines in it
	switch d.Change {
	case instructions.Changed:
		f.Message = name + " is not as it was approved."
		if lock {
			break
		}
		approved, err := live(ctx, a.DB, d.Subject)
		if err != nil {
			return f, err
		}
		f.Message = fmt.Sprintf("%s is not as it was approved in version %d: %s.", name, approved.Version, instructions.Told(instructions.Files(*approved.Definition.Folder(), d.Found.Folder)))
	case instructions.New:
		f.Message = fmt.Sprintf("%s was never approved, and agents read it (%s).", name, d.Found.Client)
	case instructions.Missing:
		f.Message = name + " was approved and is not there."
	case instructions.Withdrawn:
		f.Message = name + " was taken out of use, and agents still read it."
	case instructions.Unreadable:
		f.Message = d.Found.Err.Error() + "."
	}
	return f, nil
}

// file is the path of a difference for people and code scanning: in a project relative to
// it, of a skill that of its SKILL.md.
func (r root) file(d instructions.Difference) string {
	p := d.Path
	if d.Kind == registry.KindSkill {
		p = path.Join(p, registry.SkillFile)
	}
	if r.scope == instructions.User {
		return path.Join("~", p)
	}
	return p
}

// Locked returns the files of a lock.
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
