// This file compares the skills and instruction files on disk with their approved versions.

package instructions

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Approved describes an approved skill or instruction file.
type Approved struct {
	Subject registry.Subject
	Path    string
	Hash    string // hash of the definition
	Active  bool   // false if the subject is deactivated
}

// Change is the kind of a difference between the disk and the registry.
type Change string

// Kinds of changes.
const (
	Changed    Change = "changed"
	New        Change = "new"         // on disk, but never approved
	Missing    Change = "missing"     // approved, but not on disk
	Withdrawn  Change = "deactivated" // approved, then deactivated, but still on disk
	Unreadable Change = "unreadable"
)

// Difference is a skill or an instruction file that differs between the disk and the registry.
type Difference struct {
	Subject registry.Subject // zero if the file was never approved
	Kind    registry.Kind
	Path    string
	Change  Change
	Found   *Found // nil for Missing
}

// Compare returns the differences between the found and the approved files, ordered by path.
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

// Definition returns a definition with the given id for a skill or an instruction file on disk.
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

// FileChange is a file that differs between two versions of a skill.
type FileChange struct {
	Path   string
	Change Change
	What   string // kind of the change for Changed: "text", "line ends", "mode", "link", "bytes", or "encoding"
}

// Files returns the files that differ between an approved version and the version found on disk, ordered by path.
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

// NewID returns an unused id for a new skill or instruction file. It derives the id from the name of the skill's folder
// or from the path of the file. If this id is in use, NewID derives a longer id from the whole path. If the longer id
// is in use, too, NewID adds a hash of the path.
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

// slug converts each word to lower-case letters and digits, and joins the words with underscores. It omits the
// extensions of instruction files.
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

// Listed is an entry in a list for users: a skill or an instruction file that is approved or was found on disk.
type Listed struct {
	Subject registry.Subject // its ID is "" if the file was neither approved nor proposed
	Folder  string           // searched folder, to which Path is relative; "" if the disk was not searched
	Above   bool             // whether Folder is above the folder of the project
	Path    string
	Version int             // 0 if the file was never approved
	Status  registry.Status // status of the approved version
	Hash    string
	Drift   Change // "" if the content on disk is the approved content
	ReadBy  string // names of the clients that read the file
	Reason  string // reason why the file cannot be read
	// Proposal is the number of an open proposal for the file, or "".
	Proposal string
}

// State returns the state of the entry for display.
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

// At returns the location for display. It begins with "~/" for files of the home folder. Otherwise, it is relative to
// the folder of the project, or absolute if the file is above this folder.
func (l Listed) At() string {
	if l.Above {
		return l.Folder + "/" + l.Path
	}
	if l.Subject.Layer == registry.LayerUser {
		return "~/" + l.Path
	}
	return l.Path
}
