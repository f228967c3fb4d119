package rules

import (
	"strings"

	"toolcrib/registry"
	"toolcrib/review/rules/scan"
)

// purpose returns the concepts in a tool's id, name and first sentences: what
// it says that it is for. Later sentences are where an attack argues its case.
func (c *Change) purpose() scan.Set {
	c.once.purposes.Do(func() {
		t := c.Draft.Definition.Tool
		if t == nil {
			return
		}
		g := grammar()
		wire := ""
		if t.Provider != nil {
			wire = t.Provider.Name
		}
		c.once.purpose = g.Scan(t.ID + ".\n\n" + wire + ".\n\n" + t.Name + ".\n\n" + firstSentence(t.Description)).Concepts
	})
	return c.once.purpose
}

// named returns the concepts in a tool's id and name alone.
func (c *Change) named() scan.Set {
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
func (c *Change) about(concepts string) bool {
	return c.purpose().Meets(grammar().Concept(concepts))
}

// isAction reports whether the change is about a tool that is called.
func (c *Change) isAction() bool {
	t := c.Draft.Definition.Tool
	return t != nil && t.Kind == registry.ActionTool
}
