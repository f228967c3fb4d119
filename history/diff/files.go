// This file describes the changed files of a skill.

package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
)

// File is a file that differs between two versions of a skill.
type File struct {
	Path           string
	From           string // former path, if the file was renamed
	Change         Change // Modified, if the file was renamed
	Added, Removed int    // numbers of lines
	Notes          []string
}

// Word returns the kind of the change for display: "new", "gone", "renamed", or "changed".
func (f File) Word() string {
	switch {
	case f.Change == Added:
		return "new"
	case f.Change == Removed:
		return "gone"
	case f.From != "":
		return "renamed"
	}
	return "changed"
}

// Name returns the path of the file for display. For a renamed file, it includes the former path.
func (f File) Name() string {
	if f.From != "" {
		return f.From + " → " + f.Path
	}
	return f.Path
}

// Fields returns the paths of the fields that the change of the file may affect, most important
// first.
func (f File) Fields() []string {
	at := jsondoc.Join("files", f.Path)
	return []string{jsondoc.Join(at, "text"), jsondoc.Join(at, "link"), jsondoc.Join(at, "encoding"), jsondoc.Join(at, "sha256"), jsondoc.Join(at, "size"), jsondoc.Join(at, "type"), jsondoc.Join(at, "executable"), at}
}

// Files returns the files that differ between two versions of a skill, sorted by path. It returns
// nil for other kinds of subjects. If an added file has the content of a removed file, Files
// reports both as a single renamed file.
func Files(before, after registry.Definition) []File {
	if before.Skill == nil && after.Skill == nil {
		return nil
	}
	old, now := filesOf(before), filesOf(after)
	came := map[registry.File][]string{} // paths of added files by content
	for _, name := range sortedNames(now) {
		if _, had := old[name]; had {
			continue
		}
		if content := contentOf(now[name]); content != (registry.File{}) {
			came[content] = append(came[content], name)
		}
	}
	var files []File
	renamed := map[string]bool{}
	for _, name := range sortedNames(old) {
		was := old[name]
		is, there := now[name]
		switch content := contentOf(was); {
		case there && is == was:
		case there:
			files = append(files, fileOf(name, was, is))
		case len(came[content]) > 0:
			to := came[content][0]
			came[content], renamed[to] = came[content][1:], true
			f := fileOf(to, was, now[to])
			f.From = name
			files = append(files, f)
		default:
			files = append(files, File{Path: name, Change: Removed, Removed: lineCount(was.Text), Notes: About(was)})
		}
	}
	for _, name := range sortedNames(now) {
		if _, had := old[name]; !had && !renamed[name] {
			files = append(files, File{Path: name, Change: Added, Added: lineCount(now[name].Text), Notes: About(now[name])})
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

func filesOf(d registry.Definition) map[string]registry.File {
	if d.Skill == nil {
		return nil
	}
	return d.Skill.Files
}

// contentOf returns f without its mode.
func contentOf(f registry.File) registry.File {
	f.Executable = false
	return f
}

func sortedNames(files map[string]registry.File) []string {
	return registry.Folder{Files: files}.Paths()
}

func lineCount(text string) int { return strings.Count(ended(strings.TrimSuffix(text, "\n")), "\n") }

// fileOf returns the difference between two versions of a file.
func fileOf(name string, was, is registry.File) File {
	f := File{Path: name, Change: Modified}
	f.Removed, f.Added = Lines(was.Text, is.Text).Changed()
	switch {
	case is.Link != "" && was.Link == "":
		f.Notes = append(f.Notes, "becomes a link to "+is.Link)
	case is.Link == "" && was.Link != "":
		f.Notes = append(f.Notes, "was a link to "+was.Link)
	case is.Link != was.Link:
		f.Notes = append(f.Notes, "link to "+is.Link+", was to "+was.Link)
	}
	if is.Binary() && was.Binary() && is.SHA256 != was.SHA256 {
		f.Notes = append(f.Notes, fmt.Sprintf("binary, approved by hash: %s, %d → %d bytes, SHA-256 %.*s → %.*s",
			cmp.Or(is.Type, "unknown type"), was.Size, is.Size, shortHash, was.SHA256, shortHash, is.SHA256))
	} else if now, before := content(is, shortHash), content(was, shortHash); now != before {
		if now != "" {
			f.Notes = append(f.Notes, now)
		}
		if before != "" {
			f.Notes = append(f.Notes, "was "+before)
		}
	}
	switch {
	case is.Executable && !was.Executable:
		f.Notes = append(f.Notes, "becomes executable")
	case was.Executable && !is.Executable:
		f.Notes = append(f.Notes, "no longer executable")
	}
	return f
}

// About returns notes about f: the target of a link, an encoding other than UTF-8, a binary
// content, and the executable mode.
func About(f registry.File) []string { return about(f, shortHash) }

// AboutWhole is like About, but includes the complete hash of a binary file.
func AboutWhole(f registry.File) []string { return about(f, len(f.SHA256)) }

func about(f registry.File, digits int) []string {
	var notes []string
	if f.Link != "" {
		notes = append(notes, "link to "+f.Link)
	}
	if note := content(f, digits); note != "" {
		notes = append(notes, note)
	}
	if f.Executable {
		notes = append(notes, "executable")
	}
	return notes
}

// shortHash is the number of digits of an abbreviated hash.
const shortHash = 12

// content returns a note about the encoding or the binary content of f, or "" for plain UTF-8.
func content(f registry.File, digits int) string {
	switch {
	case f.Binary():
		return fmt.Sprintf("binary, approved by hash: %s, %d bytes, SHA-256 %.*s", cmp.Or(f.Type, "unknown type"), f.Size, digits, f.SHA256)
	case f.Encoding == filetext.Bytes:
		count, _ := filetext.Escapes(f.Text)
		if count == 1 {
			return "not UTF-8: 1 byte escaped"
		}
		return fmt.Sprintf("not UTF-8: %d bytes escaped", count)
	}
	return strings.ToUpper(f.Encoding)
}

// CountFiles returns a summary such as "3 files: 2 changed, 1 new". words contains the result of
// File.Word for each file.
func CountFiles(words []string) string {
	counts := map[string]int{}
	for _, word := range words {
		counts[word]++
	}
	var parts []string
	for _, word := range []string{"changed", "renamed", "new", "gone"} {
		if n := counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	noun := "files"
	if len(words) == 1 {
		noun = "file"
	}
	return fmt.Sprintf("%d %s: %s", len(words), noun, strings.Join(parts, ", "))
}

// Label returns the path of a field for display. For the text of a file, Label returns the plain
// path of the file. For another field of a file, the name of the field follows in parentheses.
func Label(path string) string {
	rest, ok := strings.CutPrefix(path, "files")
	if !ok || rest == "" {
		return path
	}
	var name, part string
	if rest[0] == '[' {
		end := strings.LastIndex(rest, `"]`)
		if end < 0 {
			return path
		}
		unquoted, err := strconv.Unquote(rest[1 : end+1])
		if err != nil {
			return path
		}
		name, part = unquoted, strings.TrimPrefix(rest[end+2:], ".")
	} else {
		name, part, _ = strings.Cut(rest[1:], ".")
	}
	if part == "text" || part == "" {
		return name
	}
	return name + " (" + part + ")"
}
