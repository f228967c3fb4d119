package registry

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
)

// DefaultArgPattern is the pattern of a tag that has none.
const DefaultArgPattern = "(.+)"

// Arguments of a tag that nobody named: that of other registries, where the input
// schema has it, and that of a tool whose schema names no single one.
const (
	rawArgument = "raw_arg"
	argument    = "argument"
)

// TagArguments returns the names of the arguments that a line of the tool's tag gives
// it, one for each group of re, which is the tag's pattern. A group that neither the tag
// nor the pattern names is the one parameter that the tool takes.
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

// onlyParameter returns the parameter that one argument is meant for.
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
