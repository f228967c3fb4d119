// Package trust implements the R family: rules about the annotations and the approval of a tool,
// about the allow-lists of agents, and about changes that loosen them.
package trust

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// verbHints contains, for each verb, the annotations that a tool promises if its name begins with
// the verb. If an annotation is nil, the verb promises nothing about it.
var verbHints = map[string]struct{ readOnly, destructive *bool }{
	"get":    {readOnly: new(true), destructive: new(false)},
	"search": {readOnly: new(true), destructive: new(false)},
	"create": {readOnly: new(false)},
	"update": {readOnly: new(false)},
	"set":    {readOnly: new(false)},
	"link":   {readOnly: new(false)},
	"delete": {readOnly: new(false), destructive: new(true)},
}

// annotationRules returns the rules about the approval, the category, and the annotations of a tool.
func annotationRules() []rules.Rule {
	return []rules.Rule{
		stated("R101", func(t *registry.Tool) []rules.Finding {
			if t.Approval != nil && t.Approval.Tier != "" {
				return nil
			}
			return []rules.Finding{{Path: "definition.approval", Message: "No approval tier is stated; every call will require approval."}}
		}),
		rules.Of("R102", categoryStated),
		stated("R103", func(t *registry.Tool) []rules.Finding {
			if !destructive(t) || t.Approval.Effective("") != registry.AutoApprove || matchesShipped(t) {
				return nil
			}
			return []rules.Finding{{Path: "definition.approval", Message: "The tool is destructive and runs without approval."}}
		}),
		stated("R111", func(t *registry.Tool) []rules.Finding {
			verb, _, _ := strings.Cut(t.ID, "_")
			p, h := verbHints[verb], hints(t)
			var found []rules.Finding
			add := func(key string, hint, promised *bool) {
				if hint != nil && promised != nil && *hint != *promised {
					found = append(found, rules.Finding{
						Path:    "definition.annotations." + key,
						Message: fmt.Sprintf("The name begins with %s_, so %s should be %s, but it is %s.", verb, key, hintText(promised), hintText(hint)),
					})
				}
			}
			add("readOnly", h.ReadOnly, p.readOnly)
			add("destructive", h.Destructive, p.destructive)
			return found
		}),
		stated("R112", func(t *registry.Tool) []rules.Finding {
			verb, _, _ := strings.Cut(t.ID, "_")
			if verb != "delete" || rules.Imported(t) || hints(t).Destructive != nil {
				return nil
			}
			return []rules.Finding{{Path: "definition.annotations", Message: "The tool deletes, but it does not declare that it is destructive."}}
		}),
		stated("R113", func(t *registry.Tool) []rules.Finding {
			h := hints(t)
			var found []rules.Finding
			add := func(message string) {
				found = append(found, rules.Finding{Path: "definition.annotations", Message: message})
			}
			if is(h.ReadOnly) && is(h.Destructive) {
				add("The tool declares that it is both read-only and destructive.")
			}
			if is(h.RequiresConfirmation) && t.Approval.Effective("") == registry.AutoApprove {
				add("The tool requires confirmation, but its approval tier lets it run without approval. The confirmation takes precedence: every call waits for the user.")
			}
			return found
		}),
		stated("R114", func(t *registry.Tool) []rules.Finding {
			h := hints(t)
			if h.Destructive != nil || is(h.ReadOnly) || !registry.DestructiveCategory(t.Category) {
				return nil
			}
			return []rules.Finding{{
				Path:    "definition.annotations",
				Message: fmt.Sprintf("Tools of the category %s are usually destructive, but this one does not declare whether it is. It is treated as destructive.", t.Category),
			}}
		}),
	}
}

// Rules returns the R family.
func Rules() []rules.Rule {
	return slices.Concat(annotationRules(), looseningRules(), offerRules(), agentRules(), renameRules())
}

// stated returns a rule that checks action tools with the given function.
func stated(id string, check func(t *registry.Tool) []rules.Finding) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		t := c.Judged()
		if t == nil || t.Kind != registry.ActionTool {
			return nil
		}
		return check(t)
	})
}

// categoryStated reports an action tool without a category, and unknown categories of tools,
// allow-lists, and agents.
func categoryStated(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	outside := func(path, category string) {
		if category != "" && !registry.KnownCategory(category) {
			found = append(found, rules.Finding{Path: path, Passage: category, Message: fmt.Sprintf("%s is not in the table of categories; the closest category is %s.",
				jsondoc.Quote(category), registry.ClosestCategory(category))})
		}
	}
	if t := c.Judged(); t != nil {
		if t.Category == "" && t.Kind == registry.ActionTool {
			return []rules.Finding{{Path: "definition.category", Message: "No category is stated."}}
		}
		outside("definition.category", t.Category)
	}
	if list, path, ok := c.SpelledOut(); ok {
		for i, category := range list.Categories {
			outside(jsondoc.Index(jsondoc.Join(path, "categories"), i), category)
		}
	}
	if a := c.Draft.Definition.Agent; a != nil && a.Status != registry.Deactivated {
		for i, category := range a.Categories {
			outside(jsondoc.Index("definition.categories", i), category)
		}
	}
	return found
}

// hintText returns the value of an annotation in words.
func hintText(hint *bool) string {
	if hint == nil {
		return "unset"
	}
	return fmt.Sprint(*hint)
}

func is(hint *bool) bool { return hint != nil && *hint }

func isNot(hint *bool) bool { return hint != nil && !*hint }

// hints returns the annotations of t, or the zero value if t has none.
func hints(t *registry.Tool) registry.Annotations { return orZero(t.Annotations) }

// orZero returns *p, or the zero value if p is nil.
func orZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// destructive reports whether the annotations or the name of t declare that t is destructive.
func destructive(t *registry.Tool) bool {
	verb, _, _ := strings.Cut(t.ID, "_")
	return is(hints(t).Destructive) || t.Kind == registry.ActionTool && verb == "delete"
}

// matchesShipped reports whether toolcrib ships a tool with the same id and the same approval as t.
func matchesShipped(t *registry.Tool) bool {
	return slices.ContainsFunc(shipped.Assistant(), func(d registry.Definition) bool {
		return d.Tool.ID == t.ID && d.Tool.Approval != nil && t.Approval != nil && *d.Tool.Approval == *t.Approval
	})
}
