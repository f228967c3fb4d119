// This file checks whether the input of a tool matches the verb in its name, and finds texts that
// reveal soft deletes.

package schema

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// listRules returns the rules that check whether the input of an action tool has the form that the
// verb in the tool's name implies. The rules skip imported tools.
func listRules() []rules.Rule {
	return []rules.Rule{
		listRule("D301", func(tool string, s *Schema) string {
			if promises(tool, "create") && s.find(s.isObject) == nil {
				return "does not take a list of the items to create"
			}
			return ""
		}),
		listRule("D302", func(tool string, s *Schema) string {
			if !promises(tool, "update") {
				return ""
			}
			items := s.find(s.isObject)
			switch {
			case items == nil:
				return "does not take a list of the items to change"
			case !s.requires(items, "id"):
				return "takes a list of objects that do not require an id"
			}
			return ""
		}),
		listRule("D303", func(tool string, s *Schema) string {
			if promises(tool, "delete") && s.find(s.isScalar) == nil {
				return "does not take a list of ids"
			}
			return ""
		}),
		listRule("D304", func(tool string, s *Schema) string {
			verb, resource, _ := strings.Cut(tool, "_")
			if verb != "get" || shipped.SingularResource(resource) {
				return ""
			}
			if required := s.Root.Get("required"); required != nil && len(required.Items) > 0 {
				return "cannot be called without arguments to list the items"
			}
			if !slices.ContainsFunc(s.Parts, func(p *Subschema) bool { return p.of != nil && p.of.of == nil && isID(p.Name) }) {
				return "has no optional id that selects one item"
			}
			return ""
		}),
		listRule("D305", func(tool string, s *Schema) string {
			verb, _, _ := strings.Cut(tool, "_")
			if !shipped.TakesOneItem(tool) {
				return ""
			}
			if s.find(s.isObject) != nil || verb == "delete" && s.find(s.isScalar) != nil {
				return "takes a list instead of one item"
			}
			return ""
		}),
	}
}

// listRule returns a rule about the input of action tools that are not imported. check returns a
// clause that describes the problem, or "".
func listRule(id string, check func(tool string, s *Schema) string) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		s, t := Input(c), c.Judged()
		if s == nil || t.Kind != registry.ActionTool || rules.Imported(t) {
			return nil
		}
		message := check(t.ID, s)
		if message == "" {
			return nil
		}
		return []rules.Finding{{Path: s.path, Passage: t.ID, Message: jsondoc.Printable(t.ID) + " " + message + "."}}
	})
}

// promises reports whether the first word in the name of the tool is the given verb, and this verb
// implies a list as input.
func promises(tool, verb string) bool {
	got, _, _ := strings.Cut(tool, "_")
	input, _ := shipped.VerbInput(got)
	return got == verb && (input == shipped.InputList || input == shipped.InputIDs) && !shipped.TakesOneItem(tool)
}

// isID reports whether a property with the given name is for ids of existing objects, such as "id",
// "ids", or "invoice_id".
func isID(name string) bool {
	return name == "id" || name == "ids" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
}

// find calls match for each list in the properties of s, with the schema of the list's items. It
// returns the first schema for which match returns true, or nil.
func (s *Schema) find(match func(items *jsondoc.Node) bool) *jsondoc.Node {
	all, _ := s.applied(s.Root)
	for _, n := range all {
		for _, property := range membersOf(n.Get("properties")) {
			lists, _ := s.applied(property.Value)
			for _, l := range lists {
				if items := l.Get("items"); items != nil && match(items) {
					return items
				}
			}
		}
	}
	return nil
}

// isObject reports whether the schema of the items of a list allows objects.
func (s *Schema) isObject(items *jsondoc.Node) bool {
	all, _ := s.applied(items)
	return slices.ContainsFunc(all, func(n *jsondoc.Node) bool {
		return n.Get("properties") != nil || n.Get("type") != nil && fits(n, jsondoc.NewObject())
	})
}

// isScalar reports whether the schema of the items of a list allows strings or numbers, such as
// ids.
func (s *Schema) isScalar(items *jsondoc.Node) bool {
	all, _ := s.applied(items)
	return slices.ContainsFunc(all, func(n *jsondoc.Node) bool {
		return n.Get("type") != nil && (fits(n, jsondoc.NewString("")) || fits(n, jsondoc.NewNumber("0")))
	})
}

// requires reports whether the schema n requires the property with the given name.
func (s *Schema) requires(n *jsondoc.Node, name string) bool {
	all, _ := s.applied(n)
	return slices.ContainsFunc(all, func(n *jsondoc.Node) bool {
		required := n.Get("required")
		return required != nil && slices.ContainsFunc(required.Items, func(item *jsondoc.Node) bool { return item.Text == name })
	})
}

// showsDeleted reports texts of a tool that reveal to agents that deleted items still exist.
func showsDeleted(c *rules.Change) []rules.Finding {
	t := c.Judged()
	if t == nil || rules.Imported(t) {
		return nil
	}
	var found []rules.Finding
	for _, text := range c.Texts() {
		if len(found) >= rules.MaxPerText || !text.Visible || t.Kind == registry.PromptTool && !strings.HasPrefix(text.Path, "definition.inputSchema") {
			continue // a prompt may refer to tables of other systems
		}
		found = append(found, text.Findings(softDeletes(text.Value), func(p rules.Passage) string {
			return fmt.Sprintf("%s reveals to agents that deleted items still exist.", jsondoc.Quote(text.Value[p.Start:p.End]))
		})...)
	}
	return found[:min(len(found), rules.MaxPerText)]
}

// softDeletes returns the phrases in text that reveal a soft delete. A phrase may be in upper or
// lower case, and "_", "-", a space, or nothing may separate its words. If spaces separate the
// words, all phrases except "soft delete" are ordinary English, so softDeletes omits these phrases.
func softDeletes(text string) []rules.Passage {
	if !mentionsDelete(text) {
		return nil
	}
	var found []rules.Passage
	var before nameWord
	for word := range nameWords(text) {
		if word.deletes(text) || before.deletes(text) {
			phrase := strings.ToLower(text[before.start:before.end] + " " + text[word.start:word.end])
			if slices.Contains(softDeletePhrases, phrase) && (before.tied || strings.HasPrefix(phrase, "soft")) {
				found = append(found, rules.Passage{Start: before.start, End: word.end})
			}
		}
		before = word
	}
	return found
}

var softDeletePhrases = []string{
	"is deleted", "deleted at", "deleted on", "deleted flag", "date deleted", "deleted by", "include deleted", "show deleted", "with deleted",
	"soft delete", "soft deleted", "soft deletes", "soft deletion",
}

// nameWord is a word of a text, or a part of an identifier.
type nameWord struct {
	start, end int
	tied       bool // "_", "-", or a capital letter joins the word to the next one
}

// deleteStem is the beginning of one of the words in each of softDeletePhrases.
const deleteStem = "delet"

// mentionsDelete reports whether text contains deleteStem, ignoring case. Few texts contain it, and
// this check is faster than splitting a text into words.
func mentionsDelete(text string) bool {
	for i := 0; i+len(deleteStem) <= len(text); i++ {
		if text[i]|0x20 == deleteStem[0] && strings.EqualFold(text[i:i+len(deleteStem)], deleteStem) {
			return true
		}
	}
	return false
}

// deletes reports whether w, a word of text, is a form of "delete".
func (w nameWord) deletes(text string) bool {
	return w.end-w.start > len(deleteStem) && strings.EqualFold(text[w.start:w.start+len(deleteStem)], deleteStem)
}

// nameWords yields the words in text. It splits identifiers into their parts.
func nameWords(text string) iter.Seq[nameWord] {
	return func(yield func(nameWord) bool) {
		start := -1
		for i := 0; i <= len(text); i++ {
			var b byte
			if i < len(text) {
				b = text[i]
			}
			lower, upper := b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z'
			inside := lower || upper || b >= '0' && b <= '9' || b >= 0x80
			begins := upper && start >= 0 && text[i-1] >= 'a' && text[i-1] <= 'z'
			if start >= 0 && (begins || !inside) {
				if !yield(nameWord{start, i, begins || b == '_' || b == '-'}) {
					return
				}
				start = -1
			}
			if start < 0 && inside {
				start = i
			}
		}
	}
}
