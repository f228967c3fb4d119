package registry

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
)

// DefaultArgPattern is the pattern of a tag without one.
const DefaultArgPattern = "(.+)"

// Names of an argument that the tag does not name: rawArgument is the convention of
// other registries and applies if the input schema has it; argument applies if the
// schema does not imply a name.
const (
	rawArgument = "raw_arg"
	argument    = "argument"
)

// TagArguments returns the names of the arguments in a line of the tool's tag, one
// for each group of re, the compiled pattern of the tag. A group without a name
// stands for the only parameter of the tool.
func (t *Tool) TagArguments(re *regexp.Regexp) []string {
	names := slices.Clone(t.Tag.ArgGroups)
	for _, name := range re.SubexpNames()[1:][min(len(names), re.NumSubexp()):] {
		if name == "" {
			name = onlyParameter(t.InputSchema)
		}
		names = append(names, name)
	}
	return names
}

// onlyParameter returns the parameter for a single argument.
func onlyParameter(schema json.RawMessage) string {
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &doc) != nil {
		return argument
	}
	names := slices.Collect(maps.Keys(doc.Properties))
	switch {
	case slices.Contains(names, rawArgument):
		return rawArgument
	case len(doc.Required) == 1:
		return doc.Required[0]
	case len(names) == 1:
		return names[0]
	}
	return argument
}
