// This file checks the arguments that a tag line provides.

package schema

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/review/rules"
)

// untaggable reports arguments of a tag line that the input schema does not describe, and required
// arguments that a tag line does not provide.
func untaggable(c *rules.Change) []rules.Finding {
	s, t := Input(c), c.Judged()
	if s == nil || t.Tag == nil || t.Tag.Prefix == "" {
		return nil
	}
	re, err := regexp.Compile(cmp.Or(t.Tag.ArgPattern, registry.DefaultArgPattern))
	if err != nil {
		return nil // another rule reports invalid regular expressions
	}
	given := t.TagArguments(re)
	const path = "definition.tag"
	var found []rules.Finding
	if known := s.properties(s.Parts[0]); known != nil {
		for _, name := range given {
			if !known[name] {
				found = append(found, rules.Finding{Path: path, Passage: name, Message: fmt.Sprintf("A tag line provides the argument %s, which the input schema does not describe.", jsondoc.Quote(name))})
			}
		}
	}
	if required := s.Root.Get("required"); required != nil {
		for _, item := range required.Items {
			if item.Kind == jsondoc.String && !slices.Contains(given, item.Text) {
				found = append(found, rules.Finding{Path: path, Passage: item.Text, Message: fmt.Sprintf("No tag line provides %s, which is required, so every call by tag fails.", jsondoc.Quote(item.Text))})
			}
		}
	}
	return found[:min(len(found), rules.MaxPerText)]
}
