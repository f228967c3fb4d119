package rules

import (
	"slices"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// data is the D family: what a tool takes and gives back, and whether a model
// can know from its schema how to call it.
func data() []Rule {
	return slices.Concat(schemaRules(), parameterRules(), valueRules(), listRules(), shownRules())
}

// judged returns the tool whose content c puts in force, nil when there is
// none: an agent, or a tool that goes out of use and only leaves something
// behind.
func judged(c *Change) *registry.Tool {
	if c.Draft.Type == proposals.Deactivate {
		return nil
	}
	return c.Draft.Definition.Tool
}

// imported reports whether somebody else decides what t is called and takes:
// our conventions are not theirs.
func imported(t *registry.Tool) bool {
	return t.Source != nil || t.Provider != nil && t.Provider.Type == registry.ProviderMCP
}

// schema is a schema of the draft, read once for all rules.
type schema struct {
	path    string // of the field
	root    *jsondoc.Node
	remarks jsondoc.Problems // what is accepted and odd
	refused jsondoc.Problems // why it is not safe to read; then nothing else is known
	invalid jsondoc.Problems // why it is no JSON Schema
	unrun   jsondoc.Problems // regular expressions that nothing can run
	parts   []*subschema
}

// input reports whether s is what the tool takes, not what it gives back.
func (s *schema) input() bool { return s.path == "definition.inputSchema" }

// below returns the path in the proposal of a path in the schema.
func (s *schema) below(path string) string {
	switch {
	case path == jsondoc.Root:
		return s.path
	case strings.HasPrefix(path, "["):
		return s.path + path
	}
	return s.path + "." + path
}

// findings makes findings of the first problems.
func (s *schema) findings(problems jsondoc.Problems) []Finding {
	var found []Finding
	for _, p := range problems[:min(len(problems), maxPerText)] {
		found = append(found, Finding{Path: s.below(p.Path), Message: "In the " + s.name() + ": " + p.Message + "."})
	}
	return found
}

func (s *schema) name() string {
	if s.input() {
		return "input schema"
	}
	return "output schema"
}

// schemas returns what the tool takes and gives back, as far as it says.
func (c *Change) schemas() []*schema {
	c.once.schemas.Do(func() {
		t := judged(c)
		if t == nil {
			return
		}
		for _, s := range []*schema{readSchema("definition.inputSchema", t.InputSchema), readSchema("definition.outputSchema", t.OutputSchema)} {
			if s != nil {
				c.once.schemaList = append(c.once.schemaList, s)
			}
		}
	})
	return c.once.schemaList
}

// input returns what the tool takes; nil when it does not say or cannot be
// trusted to be read.
func (c *Change) input() *schema {
	for _, s := range c.schemas() {
		if s.input() && s.refused == nil {
			return s
		}
	}
	return nil
}

func readSchema(path string, raw []byte) *schema {
	if len(raw) == 0 {
		return nil
	}
	s := &schema{path: path}
	var err error
	if s.remarks, err = schemaguard.Check(raw); err != nil {
		s.refused = problemsOf(err)
		return s
	}
	if compiled, err := schemaguard.Compile(raw); err != nil {
		s.invalid = problemsOf(err)
	} else {
		s.unrun = compiled.Unrun()
	}
	s.root, err = jsondoc.Parse(raw, jsondoc.Limits{Bytes: schemaguard.MaxBytes, Depth: schemaguard.MaxDepth})
	if err != nil {
		s.refused = problemsOf(err)
		return s
	}
	s.parts = subschemas(s.root)
	return s
}

// problemsOf returns what an error of schemaguard or jsondoc lists.
func problemsOf(err error) jsondoc.Problems {
	if ps, ok := err.(jsondoc.Problems); ok { //nolint:errorlint // both packages return it unwrapped
		return ps
	}
	return jsondoc.Problems{{Path: jsondoc.Root, Message: jsondoc.Printable(err.Error())}}
}
