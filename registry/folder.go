package registry

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"toolcrib/registry/jsondoc"
)

// Folder holds the files that a coding agent reads: the tree of a skill, or one file of
// instructions. Path is where it stands below the folder of its layer (the user's home,
// or a project), with slashes: ".claude/skills/pdf", "docs/AGENTS.md".
//
// Files holds the tree by path below Path. Instructions are one file, under the last
// element of Path.
type Folder struct {
	ID string `json:"id,omitempty"`
	// Skills and instructions, required: where they stand below the folder of their layer,
	// with slashes, such as .claude/skills/pdf.
	Path string `json:"path,omitempty"`
	// Skills and instructions, required: the files by their path below path. A file has text,
	// and encoding where it is not UTF-8; or type, size and sha256 where it is a binary; or
	// link; and executable where it is.
	Files  map[string]File `json:"files,omitempty"`
	Status Status          `json:"status,omitempty"`
}

// File is one file of a folder: its text, or the hash of a binary, or the target of a
// link. A file with none of them is empty. A link that stands for instructions also has
// the text of its target, which no other definition covers. Executable is the only part of
// its mode that counts.
//
// Text shows the exact bytes of the file (package filetext); Encoding is "" for UTF-8.
// Type is the media type of a binary, by its first bytes. Versions that were
// approved before types were recorded have none; they also hold the hashes of large texts.
type File struct {
	Text       string `json:"text,omitempty"`
	Encoding   string `json:"encoding,omitempty"`
	Type       string `json:"type,omitempty"`
	Size       int64  `json:"size,omitempty"`
	SHA256     string `json:"sha256,omitempty"` // lower-case hex
	Link       string `json:"link,omitempty"`
	Executable bool   `json:"executable,omitempty"`
}

// The limits of a folder.
const (
	MaxFiles    = 500
	MaxFolder   = 20 << 20 // bytes in all files
	MaxFileText = 1 << 20  // bytes of one text, as it is shown
	MaxPath     = 512      // bytes
)

// SkillFile is the file that makes a folder a skill.
const SkillFile = "SKILL.md"

// Paths returns the paths of the files in order.
func (f Folder) Paths() []string { return slices.Sorted(maps.Keys(f.Files)) }

// Field returns the path, below the definition, of the field that holds the content of a
// file: its text, where it leads, or its hash.
func (f Folder) Field(name string) (path string, ok bool) {
	file, ok := f.Files[name]
	part := "text"
	switch {
	case file.Binary():
		part = "sha256"
	case file.Link != "" && file.Text == "":
		part = "link"
	}
	return jsondoc.Join(jsondoc.Join("files", name), part), ok
}

// normalise turns every way of saying "not set" into the absent key.
func (f *Folder) normalise() {
	if f.Status == Active {
		f.Status = ""
	}
	if len(f.Files) == 0 {
		f.Files = nil
	}
}

// node returns f as encoding/json writes it, without the way over its text: a check
// hashes every file. It reports false where a text is not UTF-8.
func (f Folder) node() (*jsondoc.Node, bool) {
	valid := true
	add := func(to *jsondoc.Node, key, value string) {
		if valid = valid && utf8.ValidString(value); value != "" {
			to.Members = append(to.Members, jsondoc.Member{Key: key, Value: jsondoc.NewString(value)})
		}
	}
	files, n := jsondoc.NewObject(), jsondoc.NewObject()
	for _, name := range f.Paths() {
		file, of := f.Files[name], jsondoc.NewObject()
		add(of, "text", file.Text)
		add(of, "encoding", file.Encoding)
		add(of, "type", file.Type)
		if file.Size != 0 {
			of.Members = append(of.Members, jsondoc.Member{Key: "size", Value: jsondoc.NewNumber(strconv.FormatInt(file.Size, 10))})
		}
		add(of, "sha256", file.SHA256)
		add(of, "link", file.Link)
		if file.Executable {
			of.Members = append(of.Members, jsondoc.Member{Key: "executable", Value: jsondoc.NewBool(true)})
		}
		valid = valid && utf8.ValidString(name)
		files.Members = append(files.Members, jsondoc.Member{Key: name, Value: of})
	}
	add(n, "id", f.ID)
	add(n, "path", f.Path)
	if len(files.Members) > 0 {
		n.Members = append(n.Members, jsondoc.Member{Key: "files", Value: files})
	}
	add(n, "status", string(f.Status))
	return n, valid
}

// problems returns everything that keeps f from being a complete definition of a
// skill or of instructions.
func (f Folder) problems(at string, kind Kind) jsondoc.Problems {
	c := &checker{path: at}
	c.id("id", f.ID)
	if problem := pathProblem(f.Path); problem != "" {
		c.add("path", "%s", problem)
	}
	oneOf(c, "status", f.Status, Active, Deactivated)
	files := &checker{path: jsondoc.Join(at, "files")}
	switch {
	case len(f.Files) > MaxFiles:
		c.add("files", "has %d files; expected at most %d", len(f.Files), MaxFiles)
	case kind == KindSkill && !f.has(SkillFile):
		c.add("files", "has no %s; a skill needs one", SkillFile)
	case kind == KindInstructions && (len(f.Files) != 1 || !f.has(path.Base(f.Path))):
		c.add("files", "expected the one file %s", jsondoc.Quote(path.Base(f.Path)))
	default:
		f.eachProblem(files, kind)
	}
	c.join(files)
	return c.problems
}

func (f Folder) has(name string) bool {
	_, ok := f.Files[name]
	return ok
}

// eachProblem checks every file, and that they can stand side by side on every system.
func (f Folder) eachProblem(c *checker, kind Kind) {
	folded, total := map[string]string{}, int64(0)
	for _, name := range f.Paths() {
		file := f.Files[name]
		total += int64(len(file.Text)) + file.Size
		if problem := pathProblem(name); problem != "" {
			c.add(name, "the path %s", problem)
			continue // "/" is its own folder
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f.has(dir) {
				c.add(name, "stands below %s, which is a file", jsondoc.Quote(dir))
				break
			}
		}
		fold := foldedName(name)
		if other, taken := folded[fold]; taken {
			c.add(name, "differs from %s by letter case or Unicode normalization alone; many systems take them for one file", jsondoc.Quote(other))
		}
		folded[fold] = name
		file.problems(c, kind, name)
		if file.Link == "" {
			continue
		}
		where := name
		if kind == KindInstructions {
			where = f.Path // what surrounds the file belongs to the same folder
		}
		if problem := linkProblem(where, file.Link); problem != "" {
			c.add(name, "%s", problem)
		}
		if kind == KindSkill && file.Text != "" {
			c.add(name, "expected a link without text; the file that it leads to has it")
		}
	}
	if total > MaxFolder {
		c.problems.Add(c.path, "has %d bytes; expected at most %d", total, MaxFolder)
	}
}

// foldedName returns the same for names that file systems such as those of macOS and
// Windows take for one: they look at neither letter case nor the form of Unicode.
func foldedName(name string) string {
	fold := func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}
	return norm.NFC.String(strings.Map(fold, norm.NFD.String(name)))
}

// pathProblem returns what is wrong with a path below a folder, "" for nothing.
func pathProblem(p string) string {
	switch {
	case p == "":
		return "is missing"
	case len(p) > MaxPath:
		return fmt.Sprintf("has %d bytes; expected at most %d", len(p), MaxPath)
	case strings.HasPrefix(p, "/") || path.Clean(p) != p || p == "." || p == ".." || strings.HasPrefix(p, "../"):
		return "is not the plain relative path of a file"
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }):
		return "has control characters, a backslash or bytes that are not UTF-8"
	case slices.ContainsFunc(strings.Split(p, "/"), func(element string) bool { return strings.EqualFold(element, ".git") }):
		return "leads into .git, whose files git runs and no agent reads"
	}
	return ""
}

// linkProblem returns what is wrong with a link, "" for nothing. name is where it
// stands. A ".." behind a name is refused, as that name may be another link: the system
// goes up from where it leads.
func linkProblem(name, target string) string {
	if path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") || len(target) > MaxPath {
		return "is a link out of the folder, to " + jsondoc.Quote(target)
	}
	depth, down := strings.Count(name, "/"), false
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if down {
				return "is a link that goes up again, to " + jsondoc.Quote(target) + "; write the shortest way"
			}
			depth--
		default:
			if strings.EqualFold(part, ".git") {
				return "is a link into .git, which is no part of the folder, to " + jsondoc.Quote(target)
			}
			depth, down = depth+1, true
		}
		if depth < 0 {
			return "is a link out of the folder, to " + jsondoc.Quote(target)
		}
	}
	return ""
}
