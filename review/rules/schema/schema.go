// Package schema holds the D family: the input and output of a tool, and whether a
// model can know from its schema how to call it.
package schema

import (
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/review/rules"
)

// Rules is the D family: the input and output of a tool, and whether a model can
// know from its schema how to call it.
func Rules() []rules.Rule {
	return slices.Concat(schemaRules(), parameterRules(), valueRules(), tagRules(), listRules(), shownRules())
}

// Schema is a schema of the draft, read once for all rules.
type Schema struct {
	schemaguard.Checked
	path    string           // of the field
	refused jsondoc.Problems // why it is not safe to read; then nothing else is known
	invalid jsondoc.Problems // why it is no JSON Schema
	Parts   []*Subschema
}

// input reports whether s is the tool's input schema, not its output schema.
func (s *Schema) input() bool { return s.path == "definition.inputSchema" }

// Below returns the path in the proposal of a path in the schema.
func (s *Schema) Below(path string) string {
	switch {
	case path == jsondoc.Root:
		return s.path
	case strings.HasPrefix(path, "["):
		return s.path + path
	}
	return s.path + "." + path
}

// findings makes findings of the first problems.
func (s *Schema) findings(problems jsondoc.Problems) []rules.Finding {
	var found []rules.Finding
	for _, p := range problems[:min(len(problems), rules.MaxPerText)] {
		found = append(found, rules.Finding{Path: s.Below(p.Path), Message: "In the " + s.name() + ": " + p.Message + "."})
	}
	return found
}

func (s *Schema) name() string {
	if s.input() {
		return "input schema"
	}
	return "output schema"
}

// schemas holds the input and the output schema of a tool, as far as it has them.
type schemas []*Schema

func schemasOf(c *rules.Change) schemas {
	return rules.Computed(c, func(c *rules.Change) schemas {
		t := c.Judged()
		if t == nil {
			return nil
		}
		var list schemas
		for _, s := range []*Schema{readSchema("definition.inputSchema", t.InputSchema), readSchema("definition.outputSchema", t.OutputSchema)} {
			if s != nil {
				list = append(list, s)
			}
		}
		return list
	})
}

// Input returns what the tool takes; nil when it does not say or cannot be
// trusted to be read.
func Input(c *rules.Change) *Schema {
	for _, s := range schemasOf(c) {
		if s.input() && s.refused == nil {
			return s
		}
	}
	return nil
}

func readSchema(path string, raw []byte) *Schema {
	if len(raw) == 0 {
		return nil
	}
	s := &Schema{path: path}
	var err error
	if s.Checked, err = schemaguard.Check(raw); err != nil {
		s.refused = problemsOf(err)
		return s
	}
	if _, err := s.Compile(); err != nil {
		s.invalid, s.Unrun = problemsOf(err), nil
	}
	s.invalid = append(s.Open, s.invalid...)
	s.Parts = subschemas(s.Root)
	return s
}

// problemsOf returns what an error of schemaguard or jsondoc lists.
func problemsOf(err error) jsondoc.Problems {
	if ps, ok := err.(jsondoc.Problems); ok { //nolint:errorlint // both packages return it unwrapped
		return ps
	}
	return jsondoc.Problems{{Path: jsondoc.Root, Message: jsondoc.Printable(err.Error())}}
}
