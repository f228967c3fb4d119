package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// Change describes what happened to a field.
type Change string

// The changes.
const (
	Added    Change = "added"
	Removed  Change = "removed"
	Modified Change = "modified"
)

// Field is one difference between two definitions or two JSON values.
type Field struct {
	// Path leads to the value in the new document, or in the old one if it was
	// removed. It is written as package jsondoc writes it.
	Path          string
	Change        Change
	Before, After *jsondoc.Node // nil where there is no value
	// Beside is set for fields outside of the definition (Content.Beside).
	Beside bool
}

// Patch compares the lines that Lines returns. Each call compares again.
func (f Field) Patch() *Patch { return Lines(f.Lines()) }

// Hunks returns the hunks of Patch with up to context lines around each change
// and the words in all of them marked: at least one. For a text of a megabyte,
// let Hunk.Mark do so as they come into view instead.
func (f Field) Hunks(context int) []Hunk {
	hunks := f.Patch().Unified(context)
	for i, h := range hunks {
		hunks[i] = h.Words()
	}
	return hunks
}

// IsText reports whether Lines returns texts, without quotes.
func (f Field) IsText() bool {
	return isString(f.Before) && isString(f.After) && stringOf(f.Before) != stringOf(f.After)
}

// Lines returns both values as they are read line by line: texts as they are,
// lists of plain values with a line for each element, everything else as
// indented JSON. What is absent has no lines. The two always differ.
//
// The texts of a definition seldom end in "\n", so it is taken as what stands
// between lines: if one of two texts lacks it, both get one more. A line that
// is appended is then the only change, and an added "\n" is an empty line.
func (f Field) Lines() (before, after string) {
	if f.IsText() {
		before, after = stringOf(f.Before), stringOf(f.After)
		open := func(s string) bool { return s != "" && !strings.HasSuffix(s, "\n") }
		if open(before) || open(after) {
			return ended(before), ended(after)
		}
		return before, after
	}
	if isPlainList(f.Before) && isPlainList(f.After) {
		raw := rawElements(f.Before) && rawElements(f.After)
		before, after = elementLines(f.Before, raw), elementLines(f.After, raw)
		if before != after {
			return before, after
		}
	}
	return indented(f.Before), indented(f.After)
}

func isString(n *jsondoc.Node) bool { return n == nil || n.Kind == jsondoc.String }

func stringOf(n *jsondoc.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// ended returns s with one "\n" more; "" stays "".
func ended(s string) string {
	if s == "" {
		return ""
	}
	return s + "\n"
}

// isPlainList reports whether n is a list without lists and objects in it.
func isPlainList(n *jsondoc.Node) bool {
	return n == nil || n.Kind == jsondoc.Array && !slices.ContainsFunc(n.Items, func(item *jsondoc.Node) bool {
		return item.Kind == jsondoc.Object || item.Kind == jsondoc.Array
	})
}

// rawElements reports whether the elements can be shown without quotes and
// still be told apart.
func rawElements(list *jsondoc.Node) bool {
	return list == nil || !slices.ContainsFunc(list.Items, func(item *jsondoc.Node) bool {
		return item.Kind != jsondoc.String || item.Text == "" || strings.Contains(item.Text, "\n")
	})
}

func elementLines(list *jsondoc.Node, raw bool) string {
	if list == nil {
		return ""
	}
	var b strings.Builder
	for _, item := range list.Items {
		if raw {
			b.WriteString(item.Text)
		} else {
			b.Write(jsondoc.Canonical(item))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indented returns n as JSON on several lines.
func indented(n *jsondoc.Node) string {
	if n == nil {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, jsondoc.Canonical(n), "", "  "); err != nil {
		panic(fmt.Sprintf("diff: canonical JSON does not parse: %v", err))
	}
	b.WriteByte('\n')
	return b.String()
}
