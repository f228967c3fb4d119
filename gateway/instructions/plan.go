package instructions

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/intake"
)

// Step answers one difference: with a proposal that would approve what is on disk,
// or the reason why there is none.
type Step struct {
	Difference
	Draft  *proposals.Draft
	Reason string
	// Refused is set for what cannot be approved as it is, such as a link out of the folder.
	Refused bool
}

// Origin says where proposals about files go.
type Origin struct {
	Layer registry.Layer
	Set   string // the change set of all; "" for one per folder that they came from
	// Live returns the approved definition of a subject and its version, and whether an
	// id is taken.
	Live  func(registry.Subject) (registry.Live, error)
	Taken func(registry.Kind, string) bool
}

// Plan drafts proposals that approve what is on disk. The ids of new subjects are taken
// once each.
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
				return used[registry.Subject{Kind: d.Kind, Layer: o.Layer, ID: id}] || o.Taken(d.Kind, id)
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
		s.Reason = "it is deactivated; delete it, or bring it back: toolcrib rollback " + d.Subject.String() + " VERSION"
		return s, nil
	case New:
		s.Draft = &proposals.Draft{
			Type: proposals.New, Definition: Definition(d.Kind, d.Subject.ID, d.Found.Folder),
			Rationale: intake.NewFileReason(d.Kind, d.Path, d.Found.Client),
		}
		return s.checked(), nil
	case Changed, Missing:
	}
	live, err := o.Live(d.Subject)
	if err != nil {
		return s, err
	}
	s.Draft = &proposals.Draft{Type: proposals.Deactivate, BaseVersion: &live.Version, Rationale: intake.GoneFileReason(d.Path)}
	if d.Change == Changed {
		s.Draft.Type, s.Draft.Definition = proposals.Modify, Definition(d.Kind, d.Subject.ID, d.Found.Folder)
		s.Draft.Rationale = intake.ChangedFileReason(d.Path, Told(Files(*live.Definition.Folder(), d.Found.Folder)))
	}
	return s.checked(), nil
}

// checked takes the draft away that nobody could submit: it would keep those of its
// change set from being approved.
func (s Step) checked() Step {
	if s.Draft.Definition.IsZero() {
		return s
	}
	if problems := s.Draft.Definition.Problems(string(s.Kind)); len(problems) > 0 {
		s.Draft, s.Refused, s.Reason = nil, true, "it cannot be approved: "+jsondoc.Printable(problems[:1].Error())
	}
	return s
}

// mostTold is how many changed files are named.
const mostTold = 10

// Told names changed files in one line.
func Told(changes []FileChange) string {
	var parts []string
	for i, c := range changes {
		if i == mostTold {
			parts = append(parts, fmt.Sprintf("and %d more", len(changes)-i))
			break
		}
		what := string(c.Change)
		if c.What != "" {
			what = c.What
		}
		parts = append(parts, jsondoc.Printable(c.Path)+" ("+what+")")
	}
	return strings.Join(parts, ", ")
}

// group is the folder that a skill or a file came from.
func group(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// setName makes the name of a change set out of the project, or "home", and a folder.
func setName(layer registry.Layer, dir string) string {
	name := cmp.Or(layer.Project(), "home")
	if words := strings.FieldsFunc(dir, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}); len(words) > 0 {
		name += " " + strings.Join(words, "-")
	}
	return strings.TrimRight(name[:min(len(name), 64)], " -")
}
