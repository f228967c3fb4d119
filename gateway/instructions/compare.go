package instructions

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/registry"
)

// Approved names an approved skill or file of instructions, as far as comparing
// needs it.
type Approved struct {
	Subject registry.Subject
	Path    string
	Hash    string // of the definition
	Active  bool   // it was not taken out of use
}

// Change says how what is on disk differs from what was approved.
type Change string

// The changes.
const (
	Changed    Change = "changed"
	New        Change = "new"     // never approved
	Missing    Change = "missing" // approved, and not there
	Withdrawn  Change = "taken out of use"
	Unreadable Change = "unreadable"
)

// Difference is one skill or file that is not as it was approved.
type Difference struct {
	Subject registry.Subject // zero for what was never approved
	Kind    registry.Kind
	Path    string
	Change  Change
	Found   *Found // nil when it is missing
}

// Compare returns what differs, by path.
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

// Definition returns the definition of what stands on disk, under an id.
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

// FileChange is one file of a skill that is not as it was approved.
type FileChange struct {
	Path   string
	Change Change
	What   string // of a changed one: "text", "mode", "link", "bytes", "encoding"
}

// Files compares what was approved with what is on disk, by path.
func Files(approved, found registry.Folder) []FileChange {
	var changes []FileChange
	for _, p := range approved.Paths() {
		before := approved.Files[p]
		after, there := found.Files[p]
		switch {
		case !there:
			changes = append(changes, FileChange{Path: p, Change: Missing})
		case before != after:
			changes = append(changes, FileChange{Path: p, Change: Changed, What: what(before, after)})
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

func what(before, after registry.File) string {
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

// NewID returns an id for a skill or a file that has none yet: the name of a skill's
// folder, the path of a file in words, and more of the path where that is taken.
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

// slug joins what is left of words in lower-case letters and digits.
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
