package wording

import (
	"strings"

	"toolcrib/registry"
	"toolcrib/review/rules/scan"
)

// purpose returns the concepts in a tool's id, name and first sentences, its
// claimed purpose. Later sentences are where an attack argues its case.
func (c *View) purpose() scan.Set {
	c.purposes.Do(func() {
		t := c.Draft.Definition.Tool
		if t == nil {
			return
		}
		g := grammar()
		wire := ""
		if t.Provider != nil {
			wire = t.Provider.Name
		}
		c.purposeSet = g.Scan(t.ID + ".\n\n" + wire + ".\n\n" + t.Name + ".\n\n" + firstSentence(t.Description)).Concepts
	})
	return c.purposeSet
}

// named returns the concepts in a tool's id and name alone.
func (c *View) named() scan.Set {
	t := c.Draft.Definition.Tool
	if t == nil {
		return scan.Set{}
	}
	return grammar().Scan(t.ID + ".\n\n" + t.Name).Concepts
}

// firstSentence returns the start of text up to its first full stop or empty
// line, at most 300 bytes.
func firstSentence(text string) string {
	text = strings.TrimSpace(text)
	for _, end := range []string{"\n\n", ". ", ".\n", "!", "<", "["} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i]
		}
	}
	return text[:min(len(text), 300)]
}

// about reports whether the tool's stated purpose has to do with any of the
// named concepts.
func (c *View) about(concepts string) bool {
	return c.purpose().Meets(grammar().Concept(concepts))
}

// IsAction reports whether the change is about a tool that is called.
func (c *View) IsAction() bool {
	t := c.Draft.Definition.Tool
	return t != nil && t.Kind == registry.ActionTool
}
