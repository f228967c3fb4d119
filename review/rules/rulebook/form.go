package rulebook

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// Form describes a rule that is not about wording: a check of the same id has its
// code.
type Form struct {
	ID       string `toml:"-"`
	Name     string
	Severity string
	// Added is the severity in text that a change adds to an approved version, where it is
	// higher.
	Added      string
	Locked     bool
	Waivable   bool
	Doc        string
	Suggestion string
	Importer   string
	Bad, Good  Sample

	source *source
}

// Sample is a change of a registry that a form finds something in, or nothing.
type Sample struct {
	Show string // the telling fragment, for the documentation
	// Text is a sentence in the description of a tool that shows opening hours.
	Text string
	// Of names the file of samples that Draft, a merge patch (RFC 7386), changes:
	// prompt (the default), action or agent.
	Of, Draft string
	Live      []Patched // definitions that are live
	// Built marks a sample that is too large or too special for a patch, and made in
	// Go.
	Built bool
}

// Patched is a file of samples and a merge patch of it.
type Patched struct{ Of, Draft string }

// Forms returns the embedded forms of a file below forms, or of all for "", by id.
func Forms(file string) []Form {
	list, err := readForms(files, path.Join("forms", file))
	if err != nil {
		panic("rulebook: " + err.Error()) // the files are embedded; a test reads them
	}
	return list
}

// readForms reads the blocks of a file, or of every file of a folder, and returns them
// by id. An error names the file and the line.
func readForms(fsys fs.FS, root string) ([]Form, error) {
	seen := map[string]bool{}
	var list []Form
	var errs []error
	err := each(fsys, root, func(s *source) {
		blocks := map[string]Form{}
		err := s.decode(&blocks)
		errs = append(errs, err)
		for _, id := range slices.Sorted(maps.Keys(blocks)) {
			f := blocks[id]
			f.ID, f.source, f.Doc = id, s, paragraph(f.Doc)
			for _, problem := range f.problems() {
				errs = append(errs, f.errorf("%s", problem))
			}
			for _, key := range []string{f.ID, f.Name} {
				if seen[key] {
					errs = append(errs, f.errorf("%s stands twice", key))
				}
				seen[key] = true
			}
			list = append(list, f)
		}
	})
	slices.SortFunc(list, func(a, b Form) int { return strings.Compare(a.ID, b.ID) })
	return list, errors.Join(append(errs, err)...)
}

func (f *Form) errorf(format string, args ...any) error {
	header := "[" + f.ID + "]"
	return f.source.errorf(header, header, f.ID+": "+format, args...)
}

// problems lists what the block lacks.
func (f *Form) problems() []string {
	var list []string
	if len(f.ID) != 4 || f.ID[0] < 'A' || f.ID[0] > 'Z' || strings.Trim(f.ID[1:], "0123456789") != "" {
		list = append(list, "an id is a letter and three digits")
	}
	for _, field := range []struct{ key, text string }{{"name", f.Name}, {"doc", f.Doc}, {"bad.show", f.Bad.Show}, {"good.show", f.Good.Show}} {
		if field.text == "" {
			list = append(list, field.key+" is missing")
		}
	}
	if !slices.Contains(severities, f.Severity) {
		list = append(list, fmt.Sprintf("%q is no severity; write info, warn or block", f.Severity))
	}
	if f.Added != "" && !slices.Contains(severities, f.Added) {
		list = append(list, fmt.Sprintf("%q is no severity; write info, warn or block", f.Added))
	}
	if f.ID != "" && f.ID[0] == 'S' && f.Importer == "" {
		list = append(list, "importer is missing")
	}
	if f.Locked && f.Waivable {
		list = append(list, "a locked rule cannot be waived")
	}
	return list
}
