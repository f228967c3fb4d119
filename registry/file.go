package registry

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"toolcrib/registry/filetext"
	"toolcrib/registry/jsondoc"
)

// NewFile returns the file that a definition of kind holds for the bytes at name. It alone
// decides what is shown as text and what is approved by its hash. A text that is too large
// to be shown has the type text/plain; Problem refuses it.
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

// oversized is the type of a text that is too large to be shown.
const oversized = "text/plain"

// readAsText reports whether agents and the programs that they run read a file as text,
// whatever its bytes: instructions, and what has the name of a text or a program.
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

// Bytes returns the bytes of a file that has a text, or is empty; false for any other.
func (f File) Bytes() (data []byte, ok bool) {
	if f.Binary() || f.Link != "" && f.Text == "" {
		return nil, false
	}
	return filetext.Encode(f.Text, f.Encoding)
}

// Is reports whether a definition of kind holds f for the bytes at name.
func (f File) Is(kind Kind, name string, data []byte) bool {
	want := NewFile(kind, name, data, f.Executable)
	want.Link = f.Link
	return f == want
}

// Problem returns why nobody can approve the content of a file at name, "" if somebody can.
func (f File) Problem(kind Kind, name string) string {
	switch {
	case f.Type == oversized:
		return fmt.Sprintf("is a text of %d bytes; at most %d can be reviewed and shown, so divide it", f.Size, MaxFileText)
	case f.Binary() && f.Type == "":
		return "was approved by its hash in an earlier version of toolcrib, and its bytes are not stored; propose it again: toolcrib import --files"
	case f.Binary() && readAsText(kind, name):
		return "is read as text, so its hash is not enough; propose it with its content: toolcrib import --files"
	case f.Binary() || f.Encoding == "":
		return ""
	}
	data, ok := f.Bytes()
	if !ok || !f.Is(kind, name, data) {
		return "has a text that no file in the encoding " + jsondoc.Quote(f.Encoding) + " is shown as; propose it from disk: toolcrib import --files"
	}
	if _, readable := filetext.Escapes(f.Text); !readable {
		return "is not in UTF-8 or UTF-16, so it cannot be shown; save it as UTF-8"
	}
	return ""
}

// problems reports what is wrong with the form and the content of a file.
func (f File) problems(c *checker, kind Kind, name string) {
	binary := f.Binary() || f.Size != 0 || f.Type != ""
	switch {
	case binary && (f.Text != "" || f.Link != "" || f.Encoding != ""):
		c.add(name, "expected a text, a link, or a type and a size with sha256")
	case binary && (!hexHash(f.SHA256) || f.Size < 0 || len(f.Type) > maxType):
		c.add(name, "expected the type, the size and the SHA-256 as 64 lower-case hex digits")
	case f.Link != "" && f.Executable:
		c.add(name, "a link is not executable; its target may be")
	case len(f.Text) > MaxFileText:
		c.add(name, "has %d bytes; expected at most %d", len(f.Text), MaxFileText)
	default:
		if problem := f.Problem(kind, name); problem != "" {
			c.add(name, "%s", problem)
		}
	}
	c.textAt(jsondoc.Join(jsondoc.Join(c.path, name), "text"), f.Text, MaxFileText)
}

// maxType is the longest media type, in bytes.
const maxType = 80

func hexHash(s string) bool { return len(s) == 64 && strings.Trim(s, digits+"abcdef") == "" }
