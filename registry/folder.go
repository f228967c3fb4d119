// This file defines skills and instructions, and checks their files.

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

	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
)

// Folder contains the files that a coding agent reads: the file tree of a skill, or one file of instructions. Path
// is the location of the skill or the instructions, such as ".claude/skills/pdf" or "docs/AGENTS.md". It is relative
// to the folder of the layer, which is the user's home or a project, and uses slashes.
//
// The keys of Files are paths relative to Path. For instructions, Files has a single entry. Its key is the last
// element of Path.
type Folder struct {
	ID string `json:"id,omitempty"`
	// Skills and instructions, required: the location below the folder of their layer,
	// with slashes, such as .claude/skills/pdf.
	Path string `json:"path,omitempty"`
	// Skills and instructions, required: the files, keyed by their path relative to path. A text
	// file has text, and encoding if it is not UTF-8. A binary file has type, size and sha256. A
	// symbolic link has link. An executable file has executable.
	Files  map[string]File `json:"files,omitempty"`
	Status Status          `json:"status,omitempty"`
}

// File is a file of a Folder. It has a text, the hash of a binary, or the target of a link; an empty file has none
// of these. A link in instructions also has the text of its target, because no other definition contains that text.
// Executable is the only part of the file mode that is stored.
//
// Text represents the exact bytes of the file (see package filetext). Encoding is "" for UTF-8. Type is the media
// type of a binary, derived from its first bytes. Versions created by earlier releases can contain files with a hash
// but no type. Some of these files are large texts.
type File struct {
	Text       string `json:"text,omitempty"`
	Encoding   string `json:"encoding,omitempty"`
	Type       string `json:"type,omitempty"`
	Size       int64  `json:"size,omitempty"`
	SHA256     string `json:"sha256,omitempty"` // lower-case hex
	Link       string `json:"link,omitempty"`
	Executable bool   `json:"executable,omitempty"`
}

// Limits of a Folder.
const (
	MaxFiles    = 500
	MaxFolder   = 20 << 20 // bytes of all files
	MaxFileText = 1 << 20  // bytes of one text, as shown
	MaxPath     = 512      // bytes
)

// SkillFile is the name of the file that every skill must contain.
const SkillFile = "SKILL.md"

// Paths returns the keys of Files in sorted order.
func (f Folder) Paths() []string { return slices.Sorted(maps.Keys(f.Files)) }

// Field returns the path, relative to the definition, of the field with the content of the named file: its text,
// its link target, or its hash. The result ok reports whether the file exists.
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

// normalise removes values that have the same meaning as an absent key.
func (f *Folder) normalise() {
	if f.Status == Active {
		f.Status = ""
	}
	dropEmpty(&f.Files)
}

// node returns the same tree as jsondoc.FromValue. It is faster, which matters because checks hash every file. It
// returns false if a text is not valid UTF-8.
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

// problems returns the reasons why f is not a complete definition of a skill or of instructions. The paths of the
// problems start with base.
func (f Folder) problems(base string, kind Kind) jsondoc.Problems {
	c := newChecker(base)
	c.id("id", f.ID)
	if problem := pathProblem(f.Path); problem != "" {
		c.add("path", "%s", problem)
	}
	oneOf(c, "status", f.Status, Active, Deactivated)
	switch {
	case len(f.Files) > MaxFiles:
		c.add("files", "must not have more than %[2]d files (got %[1]d)", len(f.Files), MaxFiles)
	case kind == KindSkill && !f.has(SkillFile):
		c.add("files", "has no %s, which every skill needs", SkillFile)
	case kind == KindInstructions && (len(f.Files) != 1 || !f.has(path.Base(f.Path))):
		c.add("files", "expected only the file %s", jsondoc.Quote(path.Base(f.Path)))
	default:
		f.eachProblem(c.at("files"), kind)
	}
	return *c.problems
}

func (f Folder) has(name string) bool {
	_, ok := f.Files[name]
	return ok
}

// eachProblem adds the problems of every file. It also adds a problem for each group of files that cannot exist side
// by side on some systems.
func (f Folder) eachProblem(c *checker, kind Kind) {
	folded, total := map[string]string{}, int64(0)
	for _, name := range f.Paths() {
		file := f.Files[name]
		total += int64(len(file.Text)) + file.Size
		if problem := pathProblem(name); problem != "" {
			c.add(name, "the path %s", problem)
			continue // the loop below would not end for "/"
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f.has(dir) {
				c.add(name, "is below %s, which is a file and not a folder", jsondoc.Quote(dir))
				break
			}
		}
		fold := foldedName(name)
		if other, taken := folded[fold]; taken {
			c.add(name, "differs from %s only in letter case or Unicode normalization; many systems treat them as one file", jsondoc.Quote(other))
		}
		folded[fold] = name
		binary := file.Binary() || file.Size != 0 || file.Type != ""
		switch {
		case binary && (file.Text != "" || file.Link != "" || file.Encoding != ""):
			c.add(name, "expected either text, or a link, or the type, size, and sha256 of a binary")
		case binary && (!hexHash(file.SHA256) || file.Size < 0 || len(file.Type) > maxType):
			c.add(name, "expected a type, a size, and a sha256 of 64 lower-case hex digits")
		case file.Link != "" && file.Executable:
			c.add(name, "a link cannot be executable; only its target can")
		case len(file.Text) > MaxFileText:
			c.add(name, "must not exceed %[2]d bytes (got %[1]d)", len(file.Text), MaxFileText)
		default:
			if problem := file.Problem(kind, name); problem != "" {
				c.add(name, "%s", problem)
			}
		}
		c.at(name).text("text", file.Text, MaxFileText)
		if file.Link == "" {
			continue
		}
		where := name
		if kind == KindInstructions {
			where = f.Path // the link can point anywhere in the layer's folder
		}
		if problem := linkProblem(where, file.Link); problem != "" {
			c.add(name, "%s", problem)
		}
		if kind == KindSkill && file.Text != "" {
			c.add(name, "a link in a skill must not have text; put the text into the file that the link points to")
		}
	}
	if total > MaxFolder {
		c.problems.Add(c.path, "must not exceed %[2]d bytes (got %[1]d)", total, MaxFolder)
	}
}

// foldedName returns name in a uniform letter case and Unicode normalization form. Names with equal results refer
// to the same file on some file systems, such as those of macOS and Windows.
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

// pathProblem returns the reason why p is not a valid path within a folder, or "".
func pathProblem(p string) string {
	switch {
	case p == "":
		return "is missing"
	case len(p) > MaxPath:
		return fmt.Sprintf("must not exceed %[2]d bytes (got %[1]d)", len(p), MaxPath)
	case strings.HasPrefix(p, "/") || path.Clean(p) != p || p == "." || p == ".." || strings.HasPrefix(p, "../"):
		return "must be a clean relative path of a file"
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' || r == 0xfffd }):
		return "must not contain control characters, backslashes or invalid UTF-8"
	case slices.ContainsFunc(strings.Split(p, "/"), func(element string) bool { return strings.EqualFold(element, ".git") }):
		return "must not be in .git, because git can execute the files there"
	}
	return ""
}

// linkProblem returns the reason why a link is not allowed, or "". The argument name is the path of the link. A
// ".." after a folder name is rejected, because the folder can itself be a link. The ".." would then refer to the
// parent of that link's target.
func linkProblem(name, target string) string {
	if path.IsAbs(target) || strings.ContainsAny(target, "\\\x00") || len(target) > MaxPath {
		return "is a link to a target outside of the folder: " + jsondoc.Quote(target)
	}
	depth, down := strings.Count(name, "/"), false
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if down {
				return "is a link with \"..\" after a folder name in its target " + jsondoc.Quote(target) + "; write the shortest path"
			}
			depth--
		default:
			if strings.EqualFold(part, ".git") {
				return "is a link into .git: " + jsondoc.Quote(target)
			}
			depth, down = depth+1, true
		}
		if depth < 0 {
			return "is a link to a target outside of the folder: " + jsondoc.Quote(target)
		}
	}
	return ""
}

// NewFile returns the File that a definition of the given kind stores for a file with the given name and content. It
// alone decides whether reviewers see the text of a file or approve its hash. A text that is too large to review
// gets the type text/plain, which Problem rejects.
func NewFile(kind Kind, name string, data []byte, executable bool) File {
	f := File{Executable: executable}
	text, encoding, ok := filetext.Decode(data, readAsText(kind, name))
	if ok && len(text) <= MaxFileText {
		f.Text, f.Encoding = text, encoding
		return f
	}
	f.Type = oversized
	if !ok {
		f.Type = filetext.Type(data)
	}
	f.Size, f.SHA256 = int64(len(data)), HashBytes(data)
	return f
}

// oversized is the Type of texts that exceed MaxFileText.
const oversized = "text/plain"

// readAsText reports whether agents, and programs that agents run, read the named file as text even if its bytes are
// not valid text. The result is true for instructions and for files with the extension of a text or a program.
func readAsText(kind Kind, name string) bool {
	return kind == KindInstructions || slices.Contains(textExtensions, strings.ToLower(path.Ext(name)))
}

var textExtensions = []string{
	".md", ".mdc", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".html", ".htm", ".xml", ".svg", ".css", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml",
	".toml", ".ini", ".cfg", ".conf", ".env", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd", ".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx",
	".rb", ".pl", ".php", ".lua", ".go", ".rs", ".r", ".c", ".h", ".cpp", ".cs", ".java", ".kt", ".swift", ".scala", ".sql", ".tex", ".applescript", ".mk",
}

// Binary reports whether f stores the hash of its content instead of the content.
func (f File) Binary() bool { return f.SHA256 != "" }

// Bytes returns the content of f. It returns false if f is a binary or a link without a text.
func (f File) Bytes() (data []byte, ok bool) {
	if f.Binary() || f.Link != "" && f.Text == "" {
		return nil, false
	}
	return filetext.Encode(f.Text, f.Encoding)
}

// Is reports whether f describes a file with the given name and content. It compares f with the result of NewFile,
// but ignores the link target and the mode.
func (f File) Is(kind Kind, name string, data []byte) bool {
	want := NewFile(kind, name, data, f.Executable)
	want.Link = f.Link
	return f == want
}

// Problem returns the reason why the content of f, a file with the given name, cannot be approved, or "".
func (f File) Problem(kind Kind, name string) string {
	switch {
	case f.Type == oversized:
		return fmt.Sprintf("is a text of %d bytes, but reviewable texts have at most %d bytes; split the file", f.Size, MaxFileText)
	case f.Binary() && f.Type == "":
		return "was approved only by its hash, as earlier versions of toolcrib allowed; propose the file again: toolcrib import --files"
	case f.Binary() && readAsText(kind, name):
		return "is read as text, so approving only its hash is not allowed; propose the file with its content: toolcrib import --files"
	case f.Binary() || f.Encoding == "":
		return ""
	}
	data, ok := f.Bytes()
	if !ok || !f.Is(kind, name, data) {
		return "has text that does not match its encoding " + jsondoc.Quote(f.Encoding) + "; propose the file from disk: toolcrib import --files"
	}
	if _, readable := filetext.Escapes(f.Text); !readable {
		return "is not in UTF-8 or UTF-16, so reviewers cannot read it; save the file as UTF-8"
	}
	return ""
}

// maxType is the maximum length of a media type, in bytes.
const maxType = 80

func hexHash(s string) bool { return len(s) == 64 && strings.Trim(s, digits+"abcdef") == "" }
