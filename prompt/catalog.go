// This file writes the tool catalog of a prompt.

package prompt

import (
	"cmp"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/internal/lists"
	"toolcrib/registry"
)

// uncategorised is the category that the catalog shows for tools without a category.
const uncategorised = "other"

// catalog returns the catalog block, which lists the tools of an agent. It lists
// prompt tools with their full text and tag tools with the form of their tag. It
// lists action tools by category and with a short description. A prompt tool with a
// tag is listed as a prompt tool. In each part, core tools come first, and all other
// tools are sorted by name. If partial is true, the agent has tools that are not
// listed, and the block ends with instructions for finding them.
func catalog(tools []Tool, partial bool) string {
	var prompts, tags []Tool
	actions := map[string][]Tool{}
	size := 0 // estimated size of the block in bytes
	for _, t := range sorted(tools) {
		size += len(t.UsageNotes) + len(t.Goals) + len(t.Guardrails) + len(t.Prompt) + 256
		switch part, category := t.part(); part {
		case promptTools:
			prompts = append(prompts, t)
		case tagTools:
			tags = append(tags, t)
		case actionTools:
			actions[category] = append(actions[category], t)
		}
	}

	w := &block{}
	w.Grow(size)
	if len(prompts) > 0 {
		w.heading("### ", "Prompt tools")
		w.tools(prompts)
	}
	if len(tags) > 0 {
		w.heading("### ", "Tag tools")
		w.line("To use one, write its tag on a line of its own.")
		w.tools(tags)
	}
	if len(actions) > 0 {
		w.heading("### ", "Action tools")
		for _, category := range inTableOrder(actions) {
			title := oneLine(strings.ReplaceAll(category, "_", " "))
			_, n := utf8.DecodeRuneInString(title)
			w.heading("#### ", strings.ToUpper(title[:n])+title[n:])
			w.tools(actions[category])
		}
	}
	if partial {
		w.heading("### ", "More tools")
		w.line(discovery)
	}
	return strings.TrimRight(w.String(), "\n")
}

// part is a part of the catalog block.
type part int

// The parts of the catalog block, in order.
const (
	promptTools part = iota
	tagTools
	actionTools // by category
)

// part returns the part of the catalog that lists t. For an action tool, it also
// returns the category of t.
func (t Tool) part() (p part, category string) {
	switch {
	case t.Kind == registry.PromptTool:
		return promptTools, ""
	case t.Tag != nil:
		return tagTools, ""
	}
	return actionTools, cmp.Or(t.Category, uncategorised)
}

// discovery explains to an agent how to find tools that are not in its catalog.
const discovery = "You have more tools than are listed here. When none of those listed does what you need, look for one: " +
	"find it with `search_tools`, read its description and the schema of its arguments with `describe_tool`, and only then " +
	"call it with `execute_tool`. Do not guess names or arguments, and do not say that you lack a tool before you have searched."

// sorted returns tools in catalog order: core tools first, then by name without
// regard to case, and then by id.
func sorted(tools []Tool) []Tool {
	type entry struct {
		Tool
		name string
	}
	entries := lists.Map(tools, func(t Tool) entry { return entry{t, t.sortName()} })
	slices.SortFunc(entries, func(a, b entry) int {
		if a.Locked != b.Locked {
			if a.Locked {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.ID, b.ID))
	})
	return lists.Map(entries, func(e entry) Tool { return e.Tool })
}

// sortName returns the sort key of t within its part of the catalog.
func (t Tool) sortName() string { return strings.ToLower(cmp.Or(t.Name, t.ID)) }

// inTableOrder returns the categories of actions. Known categories come first, in
// the order of registry.Categories. Unknown categories follow in alphabetical
// order.
func inTableOrder(actions map[string][]Tool) []string {
	order := lists.Filter(registry.Categories(), func(c string) bool { return len(actions[c]) > 0 })
	return append(order, lists.Filter(slices.Sorted(maps.Keys(actions)), func(c string) bool { return !registry.KnownCategory(c) })...)
}

// block builds the text of a catalog block.
type block struct{ strings.Builder }

func (w *block) line(parts ...string) {
	for _, p := range parts {
		w.WriteString(p)
	}
	w.WriteByte('\n')
}

// heading writes a heading, after a blank line unless it is the first line of the
// block.
func (w *block) heading(marks, title string) {
	if w.Len() > 0 {
		w.WriteByte('\n')
	}
	w.line(marks, title)
}

func (w *block) tool(t Tool) {
	w.heading("#### ", oneLine(cmp.Or(t.Name, t.ID))+" (`"+t.WireName()+"`)")
}

// labelled writes label and text. It writes nothing if text is empty.
func (w *block) labelled(label, text string) {
	if text = strings.TrimSpace(text); text != "" {
		w.line(label, ": ", text)
	}
}

// tools writes the entries of tools, which must belong to one part and one
// category.
func (w *block) tools(tools []Tool) {
	for _, t := range tools {
		switch part, _ := t.part(); part {
		case promptTools:
			w.tool(t)
			w.labelled("Archetype", oneLine(t.Archetype))
			w.labelled("Scope", string(t.Scope))
			w.labelled("When to use", t.UsageNotes)
			w.labelled("Goals", t.Goals)
			w.labelled("Guardrails", t.Guardrails)
			w.tag(t)
			if text := strings.TrimSpace(t.Prompt); text != "" {
				w.line()
				w.line(text)
			}
		case tagTools:
			w.tool(t)
			if text := strings.TrimSpace(cmp.Or(t.Description, t.ShortDescription)); text != "" {
				w.line(text)
			}
			w.tag(t)
		case actionTools:
			w.WriteString("- `" + t.WireName() + "`")
			if short := oneLine(t.Short()); short != "" {
				w.WriteString(": " + short)
			}
			w.WriteByte('\n')
		}
	}
}

func (w *block) tag(t Tool) {
	if t.Tag == nil {
		return
	}
	w.line("Tag: ", tagForm(*t.Tag))
	w.labelled("Example", t.Tag.Example)
}

// argument is the name that is shown for an unnamed argument of a tag.
const argument = "argument"

// tagForm returns the form of a tag, such as "MOVE: <task> to <list>". If the
// pattern of the arguments consists of groups, plain text, and white space, the
// part after the colon has the same form. Otherwise, this part contains only the
// names of the groups.
func tagForm(t registry.Tag) string {
	groups := t.ArgGroups
	if len(groups) == 0 {
		groups = []string{argument}
	}
	form := "<" + strings.Join(groups, "> <") + ">"
	if t.ArgPattern != "" {
		var b strings.Builder
		if re, err := syntax.Parse(t.ArgPattern, syntax.Perl); err == nil && writeForm(&b, re, t.ArgGroups) {
			form = oneLine(b.String())
		}
	}
	return strings.TrimSpace(oneLine(t.Prefix) + ": " + form)
}

// writeForm writes the form of the texts that re matches. As in manuals, groups are
// written as <group>, and optional parts are written as [part]. It returns false if
// re has no such form.
func writeForm(b *strings.Builder, re *syntax.Regexp, groups []string) bool {
	switch re.Op { //nolint:exhaustive // other patterns have no such form
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text) // the parser converts the text of case-insensitive patterns to upper case
		}
		b.WriteString(text)
		return true
	case syntax.OpCapture:
		name := cmp.Or(re.Name, argument)
		if re.Cap <= len(groups) {
			name = groups[re.Cap-1]
		}
		b.WriteString("<" + name + ">")
		return true
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !writeForm(b, sub, groups) {
				return false
			}
		}
		return true
	case syntax.OpCharClass, syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		if space(re) {
			b.WriteByte(' ')
			return true
		}
		if re.Op != syntax.OpQuest {
			return false
		}
		b.WriteString(" [")
		ok := writeForm(b, re.Sub[0], groups)
		b.WriteByte(']')
		return ok
	}
	return false
}

// space reports whether re matches only white space.
func space(re *syntax.Regexp) bool {
	switch re.Op { //nolint:exhaustive // nothing else matches only white space
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		return space(re.Sub[0])
	case syntax.OpLiteral:
		return strings.TrimSpace(string(re.Rune)) == ""
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			lo, hi := re.Rune[i], re.Rune[i+1]
			if hi > ' ' || lo < '\t' || lo <= '\r' && hi > '\r' && hi < ' ' {
				return false
			}
		}
		return len(re.Rune) > 0
	}
	return false
}
