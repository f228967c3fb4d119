// Package schema implements the D family: rules about the input and output schemas of a tool. They
// check whether a schema is correct, and whether a model can learn from it how to call the tool.
package schema

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
	"toolcrib/review/rules"
)

// Rules returns the D family.
func Rules() []rules.Rule {
	return slices.Concat([]rules.Rule{
		eachSchema(LimitsRule, func(s *Schema) []rules.Finding { return s.findings(s.refused) }),
		eachSchema("D102", func(s *Schema) []rules.Finding { return s.findings(s.invalid) }),
		eachSchema("D103", func(s *Schema) []rules.Finding {
			return s.findings(lists.Filter(s.Remarks, func(remark jsondoc.Problem) bool {
				return s.input() || remark.Path != jsondoc.Root // a result may be of any type
			}))
		}),
		eachSchema("D104", func(s *Schema) []rules.Finding {
			if !s.input() || s.refused != nil || fits(s.Root, jsondoc.NewObject()) {
				return nil
			}
			return []rules.Finding{{Path: s.Below("type"), Message: "The input schema does not allow an object, but the arguments of a call are always an object."}}
		}),
		rules.Of("D105", refusedNames),
		eachSchema("D106", func(s *Schema) []rules.Finding { return s.findings(s.Unrun) }),
		eachSchema("D107", (*Schema).refusedByHosts),
		rules.Of("D201", func(c *rules.Change) []rules.Finding {
			s := Input(c)
			if s == nil || rules.Imported(c.Judged()) {
				return nil
			}
			bare := s.undocumented()
			return lists.Map(bare[:min(len(bare), rules.MaxPerText)], func(p *Subschema) rules.Finding {
				return rules.Finding{Path: s.Below(p.Path()), Passage: p.Name, Message: fmt.Sprintf("The parameter %s has no description.", jsondoc.Quote(p.Name))}
			})
		}),
		rules.Of("D202", func(c *rules.Change) []rules.Finding {
			s := Input(c)
			if s == nil || !rules.Imported(c.Judged()) {
				return nil
			}
			bare := s.undocumented()
			if len(bare) == 0 {
				return nil
			}
			message := fmt.Sprintf("%d parameters have no description: %s.", len(bare), firstNames(bare))
			if len(bare) == 1 {
				message = fmt.Sprintf("The parameter %s has no description.", firstNames(bare))
			}
			return []rules.Finding{{Path: s.path, Message: message}}
		}),
		eachSchema("D203", (*Schema).unknownRequired),
		eachSchema("D204", (*Schema).wrongDefaults),
		eachSchema("D205", func(s *Schema) []rules.Finding {
			var found []rules.Finding
			for _, part := range s.Parts {
				if found = append(found, s.conflictingKeywords(part)...); len(found) >= rules.MaxPerText {
					return found[:rules.MaxPerText]
				}
			}
			return found
		}),
		rules.Of("D206", untaggable),
	}, listRules(), []rules.Rule{rules.Of("D401", showsDeleted)})
}

// Schema is an input or output schema of the draft. It is parsed once for all rules.
type Schema struct {
	schemaguard.Checked
	path    string           // path of the field in the proposal
	refused jsondoc.Problems // reasons why the schema is not safe to parse; in this case, only path and refused are set
	invalid jsondoc.Problems // reasons why the schema is not a valid JSON Schema
	Parts   []*Subschema
}

// input reports whether s is the input schema of the tool.
func (s *Schema) input() bool { return s.path == "definition.inputSchema" }

// Below converts path, a path in the schema, to a path in the proposal.
func (s *Schema) Below(path string) string {
	switch {
	case path == jsondoc.Root:
		return s.path
	case strings.HasPrefix(path, "["):
		return s.path + path
	}
	return s.path + "." + path
}

// findings returns a finding for each of the first rules.MaxPerText problems.
func (s *Schema) findings(problems jsondoc.Problems) []rules.Finding {
	start := "In the output schema: "
	if s.input() {
		start = "In the input schema: "
	}
	return lists.Map(problems[:min(len(problems), rules.MaxPerText)], func(p jsondoc.Problem) rules.Finding {
		return rules.Finding{Path: s.Below(p.Path), Message: start + p.Message + "."}
	})
}

// schemas contains the input schema and the output schema of a tool, if it has them.
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

// Input returns the input schema of the tool. It returns nil if the tool has no input schema or the
// schema is not safe to parse.
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

// problemsOf returns the problems that err, an error of schemaguard or jsondoc, contains.
func problemsOf(err error) jsondoc.Problems {
	if ps, ok := err.(jsondoc.Problems); ok { //nolint:errorlint // both packages return it unwrapped
		return ps
	}
	return jsondoc.Problems{{Path: jsondoc.Root, Message: jsondoc.Printable(err.Error())}}
}
