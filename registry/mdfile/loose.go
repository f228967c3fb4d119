// This file reads front matter that is not strict YAML, as the clients of agents do.

package mdfile

import (
	"regexp"
	"strings"

	"toolcrib/registry/jsondoc"
)

// SplitFront splits a file for agents into its front matter, without fences and
// with LF line ends, and its body. If there is no front matter, it returns false
// and the whole text as body.
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

// LooseFront parses front matter as leniently as clients of agents do, and returns
// an object. Values that are not YAML, such as "globs: **/*.go", are read as if
// they were quoted. If that does not help, it reads line by line: keys in the first
// column, each with the text after the colon or the list below it.
func LooseFront(front string) *jsondoc.Node {
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
	var list *jsondoc.Node // list of the last key
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
		case line[0] == ' ' || line[0] == '\t': // continues the value
			if n := out.Get(last); n != nil && n.Kind == jsondoc.String {
				n.Text = strings.TrimSpace(n.Text + " " + strings.TrimSpace(line))
			}
		case ok:
			last, list = strings.TrimSpace(key), nil
			value = strings.TrimSpace(value)
			if strings.Trim(value, "|>+-0123456789") == "" && strings.HasPrefix(value+" ", "|") || strings.HasPrefix(value+" ", ">") {
				value = "" // a block scalar; its lines follow
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

// unquoted removes the quotes around a value.
func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// frontKey matches a line with a key. Text between two thematic breaks has no such
// line.
var frontKey = regexp.MustCompile(`(?m)^["']?[a-z][\w-]*["']?[ \t]*:(?:\s|$)`)

// HasKeys reports whether front matter has a key. Otherwise it may be text between
// two thematic breaks.
func HasKeys(front string) bool { return frontKey.MatchString(front) }

// OpenFront reports whether a text starts with front matter that has no second
// fence.
func OpenFront(text string) bool {
	if _, _, closed := SplitFront(text); closed {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(first, " \t\r") == "---" && HasKeys(second)
}

// FrontFaults returns the problems of front matter that is not the YAML of an
// object. lenient reports that the only problem are missing quotes, as in "globs:
// **/*.go" or "description: Usage: /x", which many clients accept.
func FrontFaults(front string, line int) (faults jsondoc.Problems, lenient bool) {
	if _, faults = parseFront(front, line-1); len(faults) == 0 {
		return nil, false
	}
	_, left := parseFront(quotedValues(front), line-1)
	return faults, len(left) == 0
}

// frontLine splits a line of front matter into the part before the value and the
// value.
var frontLine = regexp.MustCompile(`^([ ]*(?:- +)?(?:["']?[A-Za-z][\w-]*["']?:[ \t]+)?)(.*\S)`)

// quotedValues quotes the values that are not valid YAML, except those that start
// with a quote or have an open bracket.
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
