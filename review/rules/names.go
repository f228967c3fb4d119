package rules

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// names is the N family: a name that says what a tool does, the same way as
// all the others, and that nobody else has.
func names() []Rule {
	return []Rule{verbRule(), pluralRule(), retiredRule(), takenRule(), reservedRule(), hidesRule(), retiredIDRule()}
}

// named calls check when the change is about an action tool of our own: a tool
// that came from outside keeps the name its server gave it.
func named(check func(c *Change, verb, resource string) []Finding) func(context.Context, *Change) ([]Finding, error) {
	return func(_ context.Context, c *Change) ([]Finding, error) {
		t := c.Draft.Definition.Tool
		if t == nil || t.Kind != registry.ActionTool || imported(t) {
			return nil, nil
		}
		verb, resource, _ := strings.Cut(c.Draft.Subject.ID, "_")
		return check(c, verb, resource), nil
	}
}

func knownVerb(word string) bool { return slices.Contains(shipped.Verbs(), word) }

func verbRule() Rule {
	return Rule{
		ID: "N101", Name: "verb-first", Severity: Warn, Waivable: true,
		Doc: "The id of an action tool begins with one of the known verbs and goes on with what it acts on: " +
			"`get_tasks`, not `tasks_get` and not `fetch_tasks`. A model that knows one tool can then guess the " +
			"next, and does not have to choose between two words for the same thing.",
		Suggestion: "Begin the id with one of the known verbs: " + strings.Join(shipped.Verbs(), ", ") + ".",
		Bad:        Example{Show: "invoices_get", Draft: action("invoices_get")},
		Good:       Example{Show: "get_invoices", Draft: action("get_invoices")},
		Check: named(func(c *Change, verb, resource string) []Finding {
			id := c.Draft.Subject.ID
			if knownVerb(verb) && resource != "" {
				return nil
			}
			f := Finding{Path: "subject", Passage: id, Message: fmt.Sprintf("%s does not begin with a known verb.", visible.Line(id))}
			words := strings.Split(id, "_")
			if i := slices.IndexFunc(words, knownVerb); i > 0 {
				better := append([]string{words[i]}, slices.Delete(slices.Clone(words), i, i+1)...)
				f.Message = fmt.Sprintf("%s has its verb in the wrong place.", visible.Line(id))
				f.Suggestion = "Call it " + visible.Line(strings.Join(better, "_")) + "."
			}
			return []Finding{f}
		}),
	}
}

func pluralRule() Rule {
	return Rule{
		ID: "N102", Name: "plural-resource", Severity: Warn, Waivable: true,
		Doc: "What an action tool acts on is named in the plural, because it takes or returns any number: " +
			"`create_tasks` takes a list even when there is one. Resources of which there is only one are declared.",
		Suggestion: "Use the plural.",
		Bad:        Example{Show: "get_invoice", Draft: action("get_invoice")},
		Good:       Example{Show: "get_invoices", Draft: action("get_invoices")},
		Check: named(func(c *Change, verb, resource string) []Finding {
			if !knownVerb(verb) || resource == "" || shipped.SingularResource(resource) || plural(resource) {
				return nil
			}
			return []Finding{{Path: "subject", Passage: c.Draft.Subject.ID, Message: fmt.Sprintf("%s names %s in the singular.", visible.Line(c.Draft.Subject.ID), visible.Line(resource))}}
		}),
	}
}

// plural reports whether an English word is a regular plural, or declared as a noun
// that has none.
func plural(word string) bool {
	last := word[strings.LastIndexByte(word, '_')+1:]
	if strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") && !strings.HasSuffix(last, "is") {
		return true
	}
	return shipped.MassNoun(last)
}

func retiredRule() Rule {
	return Rule{
		ID: "N103", Name: "retired-name", Severity: Block, Waivable: true,
		Doc:        "An alias is a name that was given up. Prompts and habits out there still use the old name and would reach something else than they mean.",
		Suggestion: "Choose a name that was never used.",
		Bad:        Example{Show: `"aliases": ["get_task"]`, Draft: aliased("get_task")},
		Good:       Example{Show: `"aliases": ["scene_pace"]`, Draft: aliased("scene_pace")},
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			var found []Finding
			for i, alias := range aliases(c) {
				found = append(found, retired(aliasPath(i), alias)...)
			}
			return found, nil
		},
	}
}

func retiredIDRule() Rule {
	return Rule{
		ID: "N107", Name: "retired-id", Severity: Block, Waivable: false,
		Doc: "The id of a new tool is a name that was given up. Whatever still says the old name would call " +
			"the new tool and mean the old one, for as long as the tool lives: an id is stable for ever. Nobody can " +
			"waive that.",
		Suggestion: "Choose a name that was never used.",
		Bad:        Example{Show: "get_task", Draft: action("get_task")},
		Good:       Example{Show: "get_invoices", Draft: action("get_invoices")},
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Subject.Kind != registry.KindTool || c.Draft.Type != proposals.New {
				return nil, nil
			}
			return retired("subject", c.Draft.Subject.ID), nil
		},
	}
}

// retired finds a name that was given up, and says what took its place.
func retired(path, name string) []Finding {
	successor, retired := shipped.Retired(name)
	if !retired {
		return nil
	}
	f := Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s is a retired name.", name)}
	if successor != "" {
		f.Message = fmt.Sprintf("%s is a retired name; its successor is %s.", name, successor)
		f.Suggestion = fmt.Sprintf("Use %s, or choose a name that was never used.", successor)
	}
	return []Finding{f}
}

func takenRule() Rule {
	return Rule{
		ID: "N104", Name: "name-taken", Severity: Block, Waivable: true,
		Doc: "The id is an alias of another tool, or an alias is the id or an alias of another tool. One name " +
			"would call two tools, and which one depends on the order in which they are looked up.",
		Suggestion: "Choose another name, or take the alias off the other tool first.",
		Bad:        Example{Show: `"aliases": ["pace"], which tool:user/pace_checker has already`, Draft: aliased("pace"), Live: []registry.Live{otherTool()}},
		Good:       Example{Show: `"aliases": ["scene_pace"]`, Draft: aliased("scene_pace"), Live: []registry.Live{otherTool()}},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Subject.Kind != registry.KindTool {
				return nil, nil
			}
			var found []Finding
			look := func(path, name string) error {
				others, err := c.World.ByName(ctx, name)
				if err != nil {
					return err
				}
				for _, other := range others {
					if other.Subject.ID == c.Draft.Subject.ID || other.Locked {
						continue // the same tool in another layer; the core is the lock's
					}
					found = append(found, Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s already is a name of %s.", name, other.Subject)})
					return nil
				}
				return nil
			}
			if err := look("subject", c.Draft.Subject.ID); err != nil {
				return nil, err
			}
			for i, alias := range aliases(c) {
				if err := look(aliasPath(i), alias); err != nil {
					return nil, err
				}
			}
			return found, nil
		},
	}
}

// reserved are the names of the tools through which an agent reaches all the
// others; a tool of that name would stand between them.
func reserved() []string {
	return []string{"search_tools", "describe_tool", "execute_tool", "propose_tool", "revise_proposal", "list_proposals", "get_proposal"}
}

func reservedRule() Rule {
	return Rule{
		ID: "N105", Name: "reserved-name", Severity: Block, Waivable: false,
		Doc:        "The id or an alias is the name of one of the tools that toolcrib itself offers to agents. A tool of that name could pass for the door that everything goes through.",
		Suggestion: "Choose another name.",
		Bad:        Example{Show: "execute_tool", Draft: renamed("execute_tool")},
		Good:       Example{Show: "execute_plan", Draft: renamed("execute_plan")},
		Check: func(_ context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Subject.Kind != registry.KindTool {
				return nil, nil
			}
			var found []Finding
			look := func(path, name string) {
				if slices.Contains(reserved(), name) {
					found = append(found, Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s is a tool of toolcrib itself.", name)})
				}
			}
			look("subject", c.Draft.Subject.ID)
			for i, alias := range aliases(c) {
				look(aliasPath(i), alias)
			}
			return found, nil
		},
	}
}

func hidesRule() Rule {
	return Rule{
		ID: "N106", Name: "hides-other-layer", Severity: Info,
		Doc:        "A tool of the same id is live in an earlier layer and will be hidden by this one. That is what layers are for; the reviewer should know that it happens.",
		Suggestion: "Nothing, if it is meant.",
		Bad:        Example{Show: "tool:user/pace_checker over tool:global/pace_checker", Draft: renamed("pace_checker"), Live: []registry.Live{otherTool()}},
		Good:       Example{Show: "tool:user/scene_pacer", Draft: sample(), Live: []registry.Live{otherTool()}},
		Check: func(ctx context.Context, c *Change) ([]Finding, error) {
			if c.Draft.Subject.Kind != registry.KindTool || c.Draft.Type != proposals.New {
				return nil, nil
			}
			others, err := c.World.ByName(ctx, c.Draft.Subject.ID)
			if err != nil {
				return nil, err
			}
			for _, other := range others {
				if other.Subject.ID == c.Draft.Subject.ID && !other.Locked && other.Subject.Layer.Rank() < c.Draft.Subject.Layer.Rank() {
					return []Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("It hides %s.", other.Subject)}}, nil
				}
			}
			return nil, nil
		},
	}
}

// otherTool is a live tool in the global layer with the alias "pace".
func otherTool() registry.Live {
	t := *renamed("pace_checker").Definition.Tool
	t.Aliases = []string{"pace"}
	return registry.Live{
		Subject: registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: t.ID}, Version: 1,
		Definition: registry.Definition{Tool: &t},
	}
}
