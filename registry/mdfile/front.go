// This file parses YAML front matter. It is strict for definitions and lenient for the files of agents.

package mdfile

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"toolcrib/registry/jsondoc"
)

// MaxFront is the maximum size of front matter and of other YAML texts, in bytes.
const MaxFront = 1 << 20

// ParseYAML parses one YAML value with the same restrictions as front matter. The argument line is the number of the
// line in which text starts. The node is nil if problems exist or if text has no value.
func ParseYAML(text string, line int) (*jsondoc.Node, jsondoc.Problems) {
	start := jsondoc.Pos{Line: line, Column: 1}
	if len(text) > MaxFront {
		return nil, problem(start, "the YAML is larger than %[2]d bytes (got %[1]d)", len(text), MaxFront)
	}
	r := reader{skipped: line - 1}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		at, message := YAMLError(text, err)
		at.Line += r.skipped
		return nil, problem(at, "not valid YAML: %s", message)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, problem(start, "contains more than one YAML document")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && isNull(root) {
		return nil, nil // text contains only comments
	}
	n := r.node(root, func() string { return jsondoc.Root }, 0)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return n, nil
}

// parseFront parses text as a YAML object. The argument skipped is the number of lines before text in the file.
func parseFront(text string, skipped int) (*jsondoc.Node, jsondoc.Problems) {
	n, ps := ParseYAML(text, skipped+1)
	switch {
	case len(ps) > 0:
		return nil, ps
	case n == nil:
		return jsondoc.NewObject(), nil
	case n.Kind != jsondoc.Object:
		return nil, problem(n.Pos, "expected an object with keys")
	}
	return n, nil
}

// YAMLError returns the position and the message of err, an error of the YAML library. If the library detects the error
// only at the end of text, the position is the start of the unfinished value, or the last line. Messages quote only one
// kind of text: the names of anchors, which consist of ASCII letters and digits.
func YAMLError(text string, err error) (jsondoc.Pos, string) {
	var e *yaml.LoadError
	if !errors.As(err, &e) {
		return jsondoc.Pos{Line: 1, Column: 1}, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	lines := strings.Count(strings.TrimRight(text, " \t\r\n"), "\n") + 1
	at := e.Mark
	if e.ContextMsg != "" && (at.Line > lines || strings.Contains(e.ContextMsg, "simple key")) {
		at = e.ContextMark
	}
	if at.Line > lines {
		return jsondoc.Pos{Line: lines, Column: 1}, e.Message
	}
	return jsondoc.Pos{Line: max(at.Line, 1), Column: max(at.Column, 1)}, e.Message
}

// reader converts YAML nodes to JSON nodes.
type reader struct {
	skipped  int // number of lines before the YAML
	problems jsondoc.Problems
}

// locator returns the path of a value. Paths are computed only on request, because computing the path of every value
// inside long keys would cost more than parsing.
type locator func() string

func (r *reader) refuse(n *yaml.Node, at locator, message string) {
	if !r.problems.Full() {
		r.problems.Append(jsondoc.Problem{Path: at(), Pos: r.pos(n), Message: message})
	}
}

func (r *reader) pos(n *yaml.Node) jsondoc.Pos {
	return jsondoc.Pos{Line: n.Line + r.skipped, Column: n.Column}
}

// node converts n. The argument depth is the number of nodes that contain n.
func (r *reader) node(n *yaml.Node, at locator, depth int) *jsondoc.Node {
	out := &jsondoc.Node{Pos: r.pos(n)}
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.refuse(n, at, "YAML anchors and aliases are not supported; write out the value")
		return out
	case n.Style&yaml.TaggedStyle != 0:
		r.refuse(n, at, "YAML tags are not supported; quote the value to make it a string")
		return out
	case n.Kind != yaml.ScalarNode && depth >= jsondoc.DefaultLimits.Depth:
		r.refuse(n, at, "nested too deeply")
		return out
	}
	switch n.Kind {
	case yaml.MappingNode:
		out.Kind = jsondoc.Object
		r.members(n, out, at, depth+1)
	case yaml.SequenceNode:
		out.Kind = jsondoc.Array
		for i, item := range n.Content {
			out.Items = append(out.Items, r.node(item, func() string { return jsondoc.Index(at(), i) }, depth+1))
		}
	default:
		r.scalar(n, out, at)
	}
	return out
}

func (r *reader) members(n *yaml.Node, out *jsondoc.Node, parent locator, depth int) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		at := func() string { return jsondoc.Join(parent(), k.Value) }
		switch {
		case k.Kind != yaml.ScalarNode:
			r.refuse(k, parent, "keys must be strings")
			continue
		case k.Anchor != "" || k.Style&yaml.TaggedStyle != 0:
			r.refuse(k, at, "YAML anchors and tags are not supported")
		case k.Style == 0 && k.Value == "<<":
			r.refuse(k, at, "YAML merge keys are not supported; write out the keys")
		case k.Style == 0 && k.Value == "":
			r.refuse(k, at, "missing key before the colon")
		case seen[k.Value]:
			r.refuse(k, at, "duplicate key; keep one")
		case utf8.RuneCountInString(k.Value) > jsondoc.MaxKey:
			r.refuse(k, parent, "a key is longer than "+strconv.Itoa(jsondoc.MaxKey)+" characters")
		}
		r.refuseNUL(k, at)
		seen[k.Value] = true
		out.Members = append(out.Members, jsondoc.Member{Key: k.Value, Pos: r.pos(k), Value: r.node(v, at, depth)})
	}
}

// scalar converts a scalar. Without quotes, the values null, true, and false and the numbers of JSON have their JSON
// types. All other scalars are strings, including dates and numbers in other notations.
func (r *reader) scalar(n *yaml.Node, out *jsondoc.Node, at locator) {
	r.refuseNUL(n, at)
	switch {
	case n.Style != 0:
		out.Kind, out.Text = jsondoc.String, n.Value
	case isNull(n):
		out.Kind = jsondoc.Null
	default:
		out.Kind, out.Text = plainKind(n.Value), n.Value
		if out.Kind == jsondoc.Number {
			if _, err := jsondoc.Parse([]byte(n.Value), jsondoc.DefaultLimits); err != nil {
				r.refuse(n, at, "the number is out of range")
			}
		}
	}
}

func (r *reader) refuseNUL(n *yaml.Node, at locator) {
	if strings.IndexByte(n.Value, 0) >= 0 {
		r.refuse(n, at, "contains a NUL character; remove it")
	}
}

func isNull(n *yaml.Node) bool {
	return n.Style == 0 && (n.Value == "" || plainKind(n.Value) == jsondoc.Null)
}

// plainKind returns the kind of the unquoted scalar text, which must not be empty.
func plainKind(text string) jsondoc.Kind {
	switch text {
	case "null", "~":
		return jsondoc.Null
	case "true", "false":
		return jsondoc.Bool
	}
	// A number must follow the grammar of RFC 8259, section 6.
	isDigit := func(c byte) bool { return '0' <= c && c <= '9' }
	if (text[0] == '-' || isDigit(text[0])) && isDigit(text[len(text)-1]) && json.Valid([]byte(text)) {
		return jsondoc.Number
	}
	return jsondoc.String
}

// SplitFront splits a file for agents into its front matter and its body. The front matter is returned without fences
// and with LF line ends. If the file has no front matter, SplitFront returns false and the whole text as the body.
func SplitFront(text string) (front, body string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	if strings.TrimRight(first, " \t\r") != "---" {
		return "", text, false
	}
	at := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return strings.ReplaceAll(rest[:at], "\r\n", "\n"), strings.TrimLeft(rest[at+len(line):], "\r\n"), true
		}
		at += len(line)
	}
	return "", text, false
}

// LooseFront parses front matter as leniently as the clients of agents do, and returns an object. If the text is not
// valid YAML, LooseFront parses it with quotes around each value that needs them, such as the value in "globs:
// **/*.go". If this text is also invalid, LooseFront reads it line by line. Each key in the first column then has
// the text after the colon, or the list below the key, as its value.
//
// Several callers parse the same front matter, so the last results are cached. Callers must not modify the result.
func LooseFront(front string) *jsondoc.Node {
	if len(front) > maxCached {
		return looseFront(front)
	}
	slot := &parsedFronts[len(front)%len(parsedFronts)]
	if p := slot.Load(); p != nil && p.front == front {
		return p.node
	}
	n := looseFront(front)
	slot.Store(&parsedFront{strings.Clone(front), n})
	return n
}

// maxCached is the maximum length, in bytes, of front matter that is cached.
const maxCached = 4 << 10

type parsedFront struct {
	front string
	node  *jsondoc.Node
}

var parsedFronts [64]atomic.Pointer[parsedFront]

func looseFront(front string) *jsondoc.Node {
	n, problems := ParseYAML(front, 2)
	if len(problems) > 0 {
		n, problems = ParseYAML(quotedValues(front), 2)
	}
	if len(problems) == 0 {
		if n != nil && n.Kind == jsondoc.Object {
			return n
		}
		return jsondoc.NewObject()
	}
	out := jsondoc.NewObject()
	var list *jsondoc.Node // list that is the value of the last key
	var last string
	for line := range strings.Lines(front) {
		line = strings.TrimRight(line, " \t\r\n")
		if item, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "- "); ok && last != "" {
			if list == nil {
				list = jsondoc.NewArray()
				out.Set(last, list)
			}
			list.Items = append(list.Items, jsondoc.NewString(unquoted(item)))
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == ' ' || line[0] == '\t': // the line continues the value
			if n := out.Get(last); n != nil && n.Kind == jsondoc.String {
				n.Text = strings.TrimSpace(n.Text + " " + strings.TrimSpace(line))
			}
		case ok:
			last, list = strings.TrimSpace(key), nil
			value = strings.TrimSpace(value)
			if strings.Trim(value, "|>+-0123456789") == "" && strings.HasPrefix(value+" ", "|") || strings.HasPrefix(value+" ", ">") {
				value = "" // the value is a block scalar in the following lines
			}
			if n, problems := ParseYAML(value, 1); len(problems) == 0 && n != nil && n.Kind == jsondoc.Array {
				out.Set(last, n)
				continue
			}
			out.Set(last, jsondoc.NewString(unquoted(value)))
		}
	}
	return out
}

// unquoted returns value without the quotes around it.
func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// frontKey matches a line with a key. Front matter has such a line; text between two thematic breaks usually does not.
var frontKey = regexp.MustCompile(`(?m)^["']?[a-z][\w-]*["']?[ \t]*:(?:\s|$)`)

// HasKeys reports whether front contains a key. If it does not, front is probably text between two thematic breaks.
func HasKeys(front string) bool { return frontKey.MatchString(front) }

// OpenFront reports whether text starts with front matter that does not end with a second fence.
func OpenFront(text string) bool {
	if _, _, closed := SplitFront(text); closed {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(first, " \t\r") == "---" && HasKeys(second)
}

// FrontFaults returns the problems of front matter that is not a YAML object. The front matter begins in line 2 of its
// file. The result lenient reports whether the only problem is missing quotes, as in "globs: **/*.go" or "description:
// Usage: /x". Many clients accept such values.
func FrontFaults(front string) (faults jsondoc.Problems, lenient bool) {
	if _, faults = parseFront(front, 1); len(faults) == 0 {
		return nil, false
	}
	_, left := parseFront(quotedValues(front), 1)
	return faults, len(left) == 0
}

// frontLine splits a line of front matter into the part before the value and the value itself.
var frontLine = regexp.MustCompile(`^([ ]*(?:- +)?(?:["']?[A-Za-z][\w-]*["']?:[ \t]+)?)(.*\S)`)

// quotedValues returns the front matter with quotes around each value that is not valid YAML. It does not change values
// that start with a quote or have an unclosed bracket.
func quotedValues(front string) string {
	var out strings.Builder
	for line := range strings.Lines(front) {
		m := frontLine.FindStringSubmatch(line)
		if m == nil || strings.ContainsRune(`"'|>`, rune(m[2][0])) || strings.Count(m[2], "[") != strings.Count(m[2], "]") ||
			strings.Count(m[2], "{") != strings.Count(m[2], "}") {
			out.WriteString(line)
		} else if _, problems := ParseYAML(strings.TrimSpace(line), 1); len(problems) == 0 {
			out.WriteString(line)
		} else {
			out.WriteString(m[1] + "'" + strings.ReplaceAll(m[2], "'", "''") + "'\n")
		}
	}
	return out.String()
}
