package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/history/diff"
	"toolcrib/registry/jsondoc"
)

// BlameLine is a line of a field and the version that brought it in.
type BlameLine struct {
	Text    string // without its line feed
	Version int
}

// Blame follows one field through the versions of a subject.
type Blame struct {
	field string
	text  string
	lines []BlameLine
}

// NewBlame returns the blame of a field, given as a JSON path such as
// "prompt", before any version.
func NewBlame(field string) *Blame { return &Blame{field: field} }

// Add takes the next version. They come in their order, from the first.
func (b *Blame) Add(v Version) error {
	doc, err := jsondoc.Parse(v.Definition, jsondoc.DefaultLimits)
	if err != nil {
		return fmt.Errorf("version %d of %s: %w", v.Number, v.Subject, err)
	}
	text := fieldText(doc.Find(b.field))
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n" // so that a line that is appended leaves the one before alone
	}
	b.follow(text, v.Number)
	return nil
}

// follow carries the unchanged lines over and gives the new ones to version.
func (b *Blame) follow(text string, version int) {
	fresh := slices.Collect(strings.Lines(text))
	lines := make([]BlameLine, 0, len(fresh))
	old := 0
	for _, e := range diff.Lines(b.text, text).Edits() {
		lines = append(lines, b.lines[old:e.Old.Start]...)
		for _, line := range fresh[e.New.Start:e.New.End] {
			lines = append(lines, BlameLine{Text: strings.TrimSuffix(line, "\n"), Version: version})
		}
		old = e.Old.End
	}
	b.lines, b.text = append(lines, b.lines[old:]...), text
}

// Lines returns the lines of the field as the last version has it.
func (b *Blame) Lines() []BlameLine { return slices.Clone(b.lines) }

// fieldText returns the text of a value to blame: a string itself, anything else as
// indented JSON, nothing for an absent one.
func fieldText(n *jsondoc.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == jsondoc.String:
		return n.Text
	}
	var buf bytes.Buffer
	if err := json.Indent(&buf, jsondoc.Canonical(n), "", "  "); err != nil {
		panic(fmt.Sprintf("history: canonical JSON does not indent: %v", err))
	}
	return buf.String()
}
