package findings

import (
	"slices"

	"toolcrib/review/rules"
)

// Place is where else a finding stands that says the same of several tools.
type Place struct {
	Tool, Path                       string // as in Finding
	Line, Column, EndLine, EndColumn int
}

// Fold makes one finding of those that say the same of several tools of one server, as
// about a sentence that its maker puts into every description: the first one, with the
// tools and the other places.
func Fold(found []Finding) []Finding {
	type stock struct{ server, file, rule, severity, passage string }
	keyOf := func(f *Finding) stock { return stock{f.Server, f.File, f.Rule, f.Severity, f.Passage} }
	tools := map[stock][]string{}
	for i := range found {
		f := &found[i]
		if key := keyOf(f); f.Server != "" && f.Passage != "" && !slices.Contains(tools[key], f.Tool) {
			tools[key] = append(tools[key], f.Tool)
		}
	}
	first := map[stock]int{}
	var list []Finding
	for i := range found {
		f := found[i]
		key := keyOf(&f)
		if len(tools[key]) < 2 {
			list = append(list, f)
			continue
		}
		at, known := first[key]
		if !known {
			first[key] = len(list)
			f.Tools = tools[key]
			list = append(list, f)
			continue
		}
		list[at].Also = append(list[at].Also, Place{f.Tool, f.Path, f.Line, f.Column, f.EndLine, f.EndColumn})
	}
	return list
}

// told is the message, with the tools that it is about where there are several.
func (f Finding) told() string {
	if len(f.Tools) == 0 {
		return f.Message
	}
	return f.Message + " The same stands in " + rules.InTools(f.Tools) + "."
}

// remedies returns the advice to the author of the text, and that to whoever imports it.
func (f Finding) remedies() string {
	text := f.Suggestion
	if importing := rules.Importing(f.Importer); importing != "" && text != "" {
		text += " " + importing
	} else if importing != "" {
		text = importing
	}
	return text
}

// quoted reports whether the message has the passage.
func (f Finding) quoted() bool {
	return (rules.Finding{Message: f.Message, Passage: f.Passage}).Quoted()
}
