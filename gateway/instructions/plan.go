// This file drafts proposals for files that differ from the registry.

package instructions

import (
	"cmp"
	"path"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/intake"
)

// Step is the planned response to a difference. It contains either a draft that proposes to approve the files on disk,
// or the reason for not making a proposal.
type Step struct {
	Difference
	Draft  *proposals.Draft
	Reason string
	// Refused is set if the files cannot be approved, for example because of a link out of the folder.
	Refused bool
}

// Origin contains the layer, the change set, and the lookups for drafting proposals.
type Origin struct {
	Layer registry.Layer
	Set   string // change set of all proposals; "" creates one for each folder with several differences
	// Live returns the approved definition of a subject. Taken reports whether an id of a kind is in use,
	// except by an untrusted version of the file at the given path.
	Live  func(registry.Subject) (registry.Live, error)
	Taken func(kind registry.Kind, id, path string) bool
}

// Plan returns a step for each difference. The drafts propose to approve the state on disk. New subjects receive unique
// ids.
func Plan(differences []Difference, o Origin) ([]Step, error) {
	used := map[registry.Subject]bool{}
	groups := map[string]int{}
	for _, d := range differences {
		groups[group(d.Path)]++
	}
	steps := make([]Step, len(differences))
	for i, d := range differences {
		if d.Subject.ID == "" {
			d.Subject = registry.Subject{Kind: d.Kind, Layer: o.Layer, ID: NewID(d.Kind, d.Path, func(id string) bool {
				return used[registry.Subject{Kind: d.Kind, Layer: o.Layer, ID: id}] || o.Taken(d.Kind, id, d.Path)
			})}
			used[d.Subject] = true
		}
		s, err := o.step(d)
		if err != nil {
			return nil, err
		}
		if s.Draft != nil {
			s.Draft.Subject, s.Draft.ChangeSet = d.Subject, o.Set
			if o.Set == "" && groups[group(d.Path)] > 1 {
				s.Draft.ChangeSet = setName(o.Layer, group(d.Path))
			}
		}
		steps[i] = s
	}
	return steps, nil
}

func (o Origin) step(d Difference) (Step, error) {
	s := Step{Difference: d}
	switch d.Change {
	case Unreadable:
		s.Reason, s.Refused = d.Found.Err.Error(), true
		return s, nil
	case Withdrawn:
		s.Reason = "the approved version is deactivated; delete the files, or restore a version with toolcrib rollback " + d.Subject.String() + " VERSION"
		return s, nil
	case New:
		s.Draft = &proposals.Draft{
			Type: proposals.New, Definition: Definition(d.Kind, d.Subject.ID, d.Found.Folder),
			Rationale: intake.NewFileReason(d.Kind, d.Path, d.Found.Client),
		}
		if live, err := o.Live(d.Subject); err == nil && live.Refused != nil { // replace the version that is not trusted
			s.Draft.Type, s.Draft.BaseVersion = proposals.Modify, &live.Version
		}
		return s.checked(), nil
	case Changed, Missing:
	}
	live, err := o.Live(d.Subject)
	if err != nil {
		return s, err
	}
	s.Draft = &proposals.Draft{Type: proposals.Deactivate, BaseVersion: &live.Version, Definition: live.Definition.WithStatus(registry.Deactivated), Rationale: intake.GoneFileReason(d.Path)}
	if d.Change == Changed {
		s.Draft.Type, s.Draft.Definition = proposals.Modify, Definition(d.Kind, d.Subject.ID, d.Found.Folder)
		s.Draft.Rationale = intake.ChangedFileReason(d.Path, ListChanges(Files(*live.Definition.Folder(), d.Found.Folder)))
	}
	return s.checked(), nil
}

// checked returns the step. If the draft of the step cannot be submitted, checked replaces the draft by the reason,
// because the draft would block the other proposals of the change set.
func (s Step) checked() Step {
	if s.Draft.Type == proposals.Deactivate {
		return s
	}
	if problems := s.Draft.Definition.Problems(string(s.Kind)); len(problems) > 0 {
		s.Draft, s.Refused, s.Reason = nil, true, "cannot be approved: "+jsondoc.Printable(problems[:1].Error())
	}
	return s
}

// ListChanges returns a line with the first ten changed files and the number of further files.
func ListChanges(changes []FileChange) string {
	return lists.First(lists.Map(changes, func(c FileChange) string {
		return jsondoc.Printable(c.Path) + " (" + cmp.Or(c.What, string(c.Change)) + ")"
	}), 10)
}

// group returns the parent folder of p, or "" for a file in the searched folder itself.
func group(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// setName returns the name of the change set for the folder dir of a project or the home folder.
func setName(layer registry.Layer, dir string) string {
	name := cmp.Or(layer.Project(), "home")
	if words := strings.FieldsFunc(dir, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}); len(words) > 0 {
		name += " " + strings.Join(words, "-")
	}
	return strings.TrimRight(name[:min(len(name), 64)], " -")
}
