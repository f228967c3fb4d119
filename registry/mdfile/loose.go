package mdfile

import (
	"regexp"
	"strings"

	"toolcrib/registry/jsondoc"
)

// SplitFront parts a text for agents into its front matter, without fences and with plain
// line ends, and its body. Without front matter all of it is the body.
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

// LooseFront reads front matter as the clients of agents do, which take more than YAML: an
// object with its keys. Values that are not YAML, such as "globs: **/*.go", are read as if
// they stood in quotes, and anything else line by line: the keys in the first column, each
// with the text behind it or the list below it.
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
	var list *jsondoc.Node // below the key that was read last
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
		case line[0] == ' ' || line[0] == '\t': // goes on with the value above
			if n := out.Get(last); n != nil && n.Kind == jsondoc.String {
				n.Text = strings.TrimSpace(n.Text + " " + strings.TrimSpace(line))
			}
		case ok:
			last, list = strings.TrimSpace(key), nil
			value = strings.TrimSpace(value)
			if strings.Trim(value, "|>+-0123456789") == "" && strings.HasPrefix(value+" ", "|") || strings.HasPrefix(value+" ", ">") {
				value = "" // a block, whose lines follow
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

// unquoted takes the quotes around a value away.
func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && value[0] == value[n-1] && (value[0] == '"' || value[0] == '\'') {
		return value[1 : n-1]
	}
	return value
}

// frontKey is a line with a key of front matter, which text between two thematic breaks
// has not.
var frontKey = regexp.MustCompile(`(?m)^["']?[a-z][\w-]*["']?[ \t]*:(?:\s|$)`)

// HasKeys reports whether a line of front matter has a key, so that it is not text between
// two thematic breaks.
func HasKeys(front string) bool { return frontKey.MatchString(front) }

// OpenFront reports whether a text begins with front matter that has no second fence.
func OpenFront(text string) bool {
	if _, _, closed := SplitFront(text); closed {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(first, " \t\r") == "---" && HasKeys(second)
}

// FrontFaults returns why front matter is not the YAML of an object, none when it is.
// lenient reports that values without quotes are all that is wrong with it, such as
// "globs: **/*.go" or "description: Usage: /x", which many clients read as they stand.
func FrontFaults(front string, line int) (faults jsondoc.Problems, lenient bool) {
	if _, faults = parseFront(front, line-1); len(faults) == 0 {
		return nil, false
	}
	_, left := parseFront(quotedValues(front), line-1)
	return faults, len(left) == 0
}

// frontLine parts a line of front matter into what stands before a value and the value.
var frontLine = regexp.MustCompile(`^([ ]*(?:- +)?(?:["']?[A-Za-z][\w-]*["']?:[ \t]+)?)(.*\S)`)

// quotedValues puts the values that are not YAML by themselves in quotes, other than those
// that begin with a quote or leave a bracket open.
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
