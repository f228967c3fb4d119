// This file compares the skills and files on disk with the approved ones.

package instructions

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Approved describes an approved skill or instruction file for a comparison.
type Approved struct {
	Subject registry.Subject
	Path    string
	Hash    string // hash of the definition
	Active  bool   // not deactivated
}

// Change is the kind of a difference between disk and registry.
type Change string

// Kinds of changes.
const (
	Changed    Change = "changed"
	New        Change = "new"     // never approved
	Missing    Change = "missing" // approved, but not on disk
	Withdrawn  Change = "taken out of use"
	Unreadable Change = "unreadable"
)

// Difference is a skill or an instruction file that differs from its approved version.
type Difference struct {
	Subject registry.Subject // zero if it was never approved
	Kind    registry.Kind
	Path    string
	Change  Change
	Found   *Found // nil if missing
}

// Compare returns the differences, ordered by path.
func Compare(found []Found, approved []Approved) []Difference {
	type key struct {
		kind registry.Kind
		path string
	}
	known := map[key]Approved{}
	for _, a := range approved {
		k := key{a.Subject.Kind, a.Path}
		if other, taken := known[k]; !taken || a.Active && !other.Active {
			known[k] = a
		}
	}
	var differences []Difference
	for i := range found {
		f := &found[i]
		k := key{f.Kind, f.Path}
		a, ok := known[k]
		delete(known, k)
		d := Difference{Subject: a.Subject, Kind: f.Kind, Path: f.Path, Found: f}
		switch {
		case f.Err != nil:
			d.Change = Unreadable
		case !ok:
			d.Change = New
		case !a.Active:
			d.Change = Withdrawn
		case Definition(f.Kind, a.Subject.ID, f.Folder).Hash() != a.Hash:
			d.Change = Changed
		default:
			continue
		}
		differences = append(differences, d)
	}
	for k, a := range known {
		if a.Active {
			differences = append(differences, Difference{Subject: a.Subject, Kind: k.kind, Path: k.path, Change: Missing})
		}
	}
	slices.SortFunc(differences, func(a, b Difference) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind))
	})
	return differences
}

// Definition returns the definition of files on disk with the given id.
func Definition(kind registry.Kind, id string, f registry.Folder) registry.Definition {
	f.ID = id
	if len(f.Files) == 0 {
		f.Files = nil
	}
	if kind == registry.KindSkill {
		return registry.Definition{Skill: &f}
	}
	return registry.Definition{Instructions: &f}
}

// FileChange is a changed file of a skill.
type FileChange struct {
	Path   string
	Change Change
	What   string // kind of the change: "text", "line ends", "mode", "link", "bytes", or "encoding"
}

// Files compares approved files with those on disk. The result is ordered by path.
func Files(approved, found registry.Folder) []FileChange {
	var changes []FileChange
	for _, p := range approved.Paths() {
		before := approved.Files[p]
		after, there := found.Files[p]
		switch {
		case !there:
			changes = append(changes, FileChange{Path: p, Change: Missing})
		case before != after:
			changes = append(changes, FileChange{Path: p, Change: Changed, What: changeText(before, after)})
		}
	}
	for _, p := range found.Paths() {
		if _, known := approved.Files[p]; !known {
			changes = append(changes, FileChange{Path: p, Change: New})
		}
	}
	slices.SortFunc(changes, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return changes
}

func changeText(before, after registry.File) string {
	switch {
	case before.Link != after.Link:
		return "link"
	case before.SHA256 != after.SHA256 || before.Type != after.Type:
		return "bytes"
	case before.Text != after.Text && strings.ReplaceAll(before.Text, "\r\n", "\n") == strings.ReplaceAll(after.Text, "\r\n", "\n"):
		return "line ends"
	case before.Text != after.Text:
		return "text"
	case before.Encoding != after.Encoding:
		return "encoding"
	}
	return "mode"
}

// NewID returns an id for a new skill or file, derived from the name of the skill's folder or the path of the file.
// If the id is taken, it includes more of the path.
func NewID(kind registry.Kind, p string, taken func(id string) bool) string {
	elements := strings.Split(p, "/")
	short := elements
	if kind == registry.KindSkill {
		short = elements[len(elements)-1:]
	}
	for _, words := range [][]string{short, elements} {
		if id := slug(words); registry.ValidID(id) && !taken(id) {
			return id
		}
	}
	sum := registry.HashBytes([]byte(p))
	for n := 8; ; n += 4 {
		id := cut(slug(elements), registry.MaxIDLength-n-1) + "_" + sum[:n]
		if registry.ValidID(id) && !taken(id) || n > 40 {
			return id
		}
	}
}

// slug joins words, reduced to lower-case letters and digits.
func slug(words []string) string {
	text := strings.ToLower(strings.Join(words, "_"))
	for _, end := range []string{".md", ".mdc", ".instructions", ".prompt", ".chatmode"} {
		text = strings.TrimSuffix(text, end)
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := strings.Join(parts, "_")
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		id = "n" + id
	}
	return cut(id, registry.MaxIDLength)
}

func cut(id string, most int) string {
	if len(id) > most {
		id = id[:most]
	}
	return strings.TrimRight(id, "_")
}

// Listed is a skill or an instruction file that was approved or that agents read.
type Listed struct {
	Subject registry.Subject // without an id if it was never approved or proposed
	Folder  string           // folder that contains Path; "" if the disk was not searched
	Above   bool             // the folder is above that of the project
	Path    string
	Version int             // 0 if it was never approved
	Status  registry.Status // status of the version
	Hash    string
	Drift   Change // "" if the disk has the approved bytes
	ReadBy  string // clients that read it
	Reason  string // why it cannot be read
	// Proposal is the number of an open proposal for it, or "".
	Proposal string
}

// State describes the state for display.
func (l Listed) State() string {
	switch {
	case l.Drift != "":
		return string(l.Drift)
	case l.Status == registry.Deactivated:
		return string(l.Status)
	case l.Folder == "":
		return "live"
	}
	return "as approved"
}

// At returns the location for display: below ~ or below the folder of its project.
func (l Listed) At() string {
	if l.Above {
		return l.Folder + "/" + l.Path
	}
	if l.Subject.Layer == registry.LayerUser {
		return "~/" + l.Path
	}
	return l.Path
}
