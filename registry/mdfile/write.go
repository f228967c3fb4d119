// This file writes YAML that is read without changes.

package mdfile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"toolcrib/registry/jsondoc"
)

// FormatYAML formats n as YAML in block style for ParseYAML.
func FormatYAML(n *jsondoc.Node) ([]byte, error) {
	if !plainText(n) {
		return nil, fmt.Errorf("%w: a text is not UTF-8", ErrFormat)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(toYAML(n)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return b.Bytes(), nil
}

// plainText reports whether all texts of n are UTF-8. The library would write
// others as binary.
func plainText(n *jsondoc.Node) bool {
	return utf8.ValidString(n.Text) && !slices.ContainsFunc(n.Items, func(item *jsondoc.Node) bool { return !plainText(item) }) &&
		!slices.ContainsFunc(n.Members, func(m jsondoc.Member) bool { return !utf8.ValidString(m.Key) || !plainText(m.Value) })
}

func toYAML(n *jsondoc.Node) *yaml.Node {
	switch n.Kind {
	case jsondoc.Object:
		out := &yaml.Node{Kind: yaml.MappingNode, Style: emptyStyle(len(n.Members))}
		for _, m := range n.Members {
			out.Content = append(out.Content, stringToYAML(m.Key), toYAML(m.Value))
		}
		return out
	case jsondoc.Array:
		out := &yaml.Node{Kind: yaml.SequenceNode, Style: emptyStyle(len(n.Items))}
		for _, item := range n.Items {
			out.Content = append(out.Content, toYAML(item))
		}
		return out
	case jsondoc.String:
		return stringToYAML(n.Text)
	case jsondoc.Null:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}
	case jsondoc.Bool, jsondoc.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
	}
	panic("mdfile: node of no kind")
}

// emptyStyle returns the flow style for {} and [], which have no block form.
func emptyStyle(length int) yaml.Style {
	if length == 0 {
		return yaml.FlowStyle
	}
	return 0
}

// bare reports whether s needs no quotes in YAML: it starts with a letter, has only
// single spaces, and no characters that can end a scalar, such as a colon at the
// end of a word.
func bare(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	if !unicode.IsLetter(first) || strings.HasSuffix(s, " ") || strings.Contains(s, "  ") {
		return false
	}
	if strings.HasSuffix(s, ":") || strings.Contains(s, ": ") {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune(" _./,:;()'$+*=@%-", r) {
			return false
		}
	}
	return true
}

// stringToYAML selects the most readable style in which s is read without changes.
func stringToYAML(s string) *yaml.Node {
	out := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Style: yaml.DoubleQuotedStyle}
	switch {
	case bare(s) && plainKind(s) == jsondoc.String &&
		!slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(s)): // in other parsers
		out.Style = 0
	case literal(s):
		out.Style = yaml.LiteralStyle
	}
	return out
}

// literal reports whether s can be written as a block scalar: several lines of
// printable characters, without leading blanks in the first line or trailing
// blanks.
func literal(s string) bool {
	if !strings.Contains(s, "\n") || strings.HasPrefix(s, " ") || strings.HasPrefix(s, "\n") || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimRight(line, " ") != line {
			return false
		}
		for _, r := range line {
			if !unicode.IsPrint(r) || r == '\ufeff' {
				return false
			}
		}
	}
	return true
}

// step is a position in a document. Its path is computed only on request: computing
// it for every value inside long keys would cost more than parsing. The nil step is
// the root.
type step struct {
	parent *step
	key    string
	index  int // index of an item, or -1 for a member
	level  int
}

func (s *step) member(key string) *step {
	return &step{parent: s, key: key, index: -1, level: s.depth() + 1}
}

func (s *step) item(i int) *step {
	return &step{parent: s, index: i, level: s.depth() + 1}
}

// depth returns the number of steps from the root.
func (s *step) depth() int {
	if s == nil {
		return 0
	}
	return s.level
}

func (s *step) path() string {
	switch {
	case s == nil:
		return jsondoc.Root
	case s.index >= 0:
		return jsondoc.Index(s.parent.path(), s.index)
	}
	return jsondoc.Join(s.parent.path(), s.key)
}
