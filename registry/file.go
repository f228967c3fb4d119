// This file decides which files are stored as text and which by their hash.

package registry

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
)

// NewFile returns the File that a definition of the given kind stores for the bytes
// at name. Only this function decides whether reviewers see a text or approve a
// hash. A text that is too large to show gets the type text/plain, which Problem
// refuses.
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

// oversized is the type of texts that are too large to show.
const oversized = "text/plain"

// readAsText reports whether agents, and programs that they run, read a file as
// text, whatever its bytes. This applies to instructions and to files with the
// extension of a text or a program.
func readAsText(kind Kind, name string) bool {
	return kind == KindInstructions || slices.Contains(textExtensions, strings.ToLower(path.Ext(name)))
}

var textExtensions = []string{
	".md", ".mdc", ".markdown", ".mdx", ".txt", ".rst", ".adoc", ".html", ".htm", ".xml", ".svg", ".css", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml",
	".toml", ".ini", ".cfg", ".conf", ".env", ".sh", ".bash", ".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd", ".py", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx",
	".rb", ".pl", ".php", ".lua", ".go", ".rs", ".r", ".c", ".h", ".cpp", ".cs", ".java", ".kt", ".swift", ".scala", ".sql", ".tex", ".applescript", ".mk",
}

// Binary reports whether f has only the hash of its content.
func (f File) Binary() bool { return f.SHA256 != "" }

// Bytes returns the bytes of a file with a text and of an empty file. It returns
// false for other files.
func (f File) Bytes() (data []byte, ok bool) {
	if f.Binary() || f.Link != "" && f.Text == "" {
		return nil, false
	}
	return filetext.Encode(f.Text, f.Encoding)
}

// Is reports whether NewFile returns f for the bytes at name.
func (f File) Is(kind Kind, name string, data []byte) bool {
	want := NewFile(kind, name, data, f.Executable)
	want.Link = f.Link
	return f == want
}

// Problem returns the reason why the content of a file at name cannot be approved,
// or "".
func (f File) Problem(kind Kind, name string) string {
	switch {
	case f.Type == oversized:
		return fmt.Sprintf("is a text of %d bytes; only texts up to %d bytes can be reviewed; split it", f.Size, MaxFileText)
	case f.Binary() && f.Type == "":
		return "was approved only by its hash in an earlier version of toolcrib; propose it again: toolcrib import --files"
	case f.Binary() && readAsText(kind, name):
		return "is read as text, so a hash alone cannot be approved; propose it with its content: toolcrib import --files"
	case f.Binary() || f.Encoding == "":
		return ""
	}
	data, ok := f.Bytes()
	if !ok || !f.Is(kind, name, data) {
		return "does not match any file in the encoding " + jsondoc.Quote(f.Encoding) + "; propose it from disk: toolcrib import --files"
	}
	if _, readable := filetext.Escapes(f.Text); !readable {
		return "is not in UTF-8 or UTF-16, so it cannot be shown; save it as UTF-8"
	}
	return ""
}

// problems adds the problems of a file's structure and content.
func (f File) problems(c *checker, kind Kind, name string) {
	binary := f.Binary() || f.Size != 0 || f.Type != ""
	switch {
	case binary && (f.Text != "" || f.Link != "" || f.Encoding != ""):
		c.add(name, "expected a text, a link, or a type and a size with sha256")
	case binary && (!hexHash(f.SHA256) || f.Size < 0 || len(f.Type) > maxType):
		c.add(name, "expected a type, a size and a SHA-256 of 64 lower-case hex digits")
	case f.Link != "" && f.Executable:
		c.add(name, "a link cannot be executable; only its target can")
	case len(f.Text) > MaxFileText:
		c.add(name, "must not exceed %[2]d bytes (got %[1]d)", len(f.Text), MaxFileText)
	default:
		if problem := f.Problem(kind, name); problem != "" {
			c.add(name, "%s", problem)
		}
	}
	c.textAt(jsondoc.Join(jsondoc.Join(c.path, name), "text"), f.Text, MaxFileText)
}

// maxType is the maximum length of a media type, in bytes.
const maxType = 80

func hexHash(s string) bool { return len(s) == 64 && strings.Trim(s, digits+"abcdef") == "" }
