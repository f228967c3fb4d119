// Package names implements the N family and the L family: rules about the names of tools, and rules
// that protect the names of core tools. The N family checks the verb in the name of a tool, the
// plural of its resource, and whether the name is unique.
package names

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/visible"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// Rules returns the N and L families.
func Rules() []rules.Rule {
	return []rules.Rule{
		ownToolRule("N101", checkVerb), ownToolRule("N102", checkPlural), rules.Of("N103", checkRetired),
		{ID: "N104", Check: checkTaken},
		rules.Of("N105", checkReserved),
		{ID: "N106", Check: checkHides},
		rules.Of("N107", checkRetiredID), rules.Of("L101", coreID), rules.Of("L102", coreAlias),
	}
}

// ownToolRule returns a rule about the names of action tools that are not imported. The name of an
// imported tool is determined by its server.
func ownToolRule(id string, check func(c *rules.Change, verb, resource string) []rules.Finding) rules.Rule {
	return rules.Of(id, func(c *rules.Change) []rules.Finding {
		t := c.Draft.Definition.Tool
		if t == nil || t.Kind != registry.ActionTool || rules.Imported(t) {
			return nil
		}
		verb, resource, _ := strings.Cut(c.Draft.Subject.ID, "_")
		return check(c, verb, resource)
	})
}

func knownVerb(word string) bool { return slices.Contains(shipped.Verbs(), word) }

func checkVerb(c *rules.Change, verb, resource string) []rules.Finding {
	id := c.Draft.Subject.ID
	if knownVerb(verb) && resource != "" {
		return nil
	}
	f := rules.Finding{Path: "subject", Passage: id, Message: fmt.Sprintf("%s does not begin with a known verb.", visible.Line(id))}
	words := strings.Split(id, "_")
	if i := slices.IndexFunc(words, knownVerb); i > 0 {
		better := append([]string{words[i]}, slices.Delete(slices.Clone(words), i, i+1)...)
		f.Message = fmt.Sprintf("%s has its verb in the wrong place.", visible.Line(id))
		f.Suggestion = "Rename it to " + visible.Line(strings.Join(better, "_")) + "."
	}
	return []rules.Finding{f}
}

func checkPlural(c *rules.Change, verb, resource string) []rules.Finding {
	if !knownVerb(verb) || resource == "" || shipped.SingularResource(resource) || plural(resource) {
		return nil
	}
	return []rules.Finding{{Path: "subject", Passage: c.Draft.Subject.ID, Message: fmt.Sprintf("%s names %s in the singular.", visible.Line(c.Draft.Subject.ID), visible.Line(resource))}}
}

// plural reports whether word is a regular English plural or is listed as a noun without a plural.
func plural(word string) bool {
	last := word[strings.LastIndexByte(word, '_')+1:]
	if strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") && !strings.HasSuffix(last, "is") {
		return true
	}
	return shipped.MassNoun(last)
}

func checkRetired(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	for i, alias := range aliases(c) {
		found = append(found, retired(aliasPath(i), alias)...)
	}
	return found
}

func checkRetiredID(c *rules.Change) []rules.Finding {
	if c.Draft.Subject.Kind != registry.KindTool || c.Draft.Type != proposals.New {
		return nil
	}
	return retired("subject", c.Draft.Subject.ID)
}

// retired returns a finding if name is a retired name. The finding states the successor, if any.
func retired(path, name string) []rules.Finding {
	successor, retired := shipped.Retired(name)
	if !retired {
		return nil
	}
	f := rules.Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s is a retired name.", name)}
	if successor != "" {
		f.Message = fmt.Sprintf("%s is a retired name; its successor is %s.", name, successor)
		f.Suggestion = fmt.Sprintf("Use %s, or choose a name that was never used.", successor)
	}
	return []rules.Finding{f}
}

func checkTaken(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	if c.Draft.Subject.Kind != registry.KindTool {
		return nil, nil
	}
	var found []rules.Finding
	others, err := c.World.ByName(ctx, append([]string{c.Draft.Subject.ID}, aliases(c)...)...)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(other registry.Live) bool {
		return other.Subject.ID == c.Draft.Subject.ID || other.Locked // other is the same tool in another layer, or a core tool, which L101 checks
	})
	eachName(c, func(path, name string) {
		if i := slices.IndexFunc(others, func(other registry.Live) bool { return slices.Contains(other.Names(), name) }); i >= 0 {
			found = append(found, rules.Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s is already a name of %s.", name, others[i].Subject)})
		}
	})
	return found, nil
}

// reserved contains the names of the tools that an agent uses to find and execute all other tools.
// A tool with such a name could intercept these calls.
var reserved = strings.Fields("search_tools describe_tool execute_tool propose_tool revise_proposal list_proposals get_proposal")

func checkReserved(c *rules.Change) []rules.Finding {
	if c.Draft.Subject.Kind != registry.KindTool {
		return nil
	}
	var found []rules.Finding
	eachName(c, func(path, name string) {
		if slices.Contains(reserved, name) {
			found = append(found, rules.Finding{Path: path, Passage: name, Message: fmt.Sprintf("%s is the name of a tool that toolcrib itself offers.", name)})
		}
	})
	return found
}

func checkHides(ctx context.Context, c *rules.Change) ([]rules.Finding, error) {
	if c.Draft.Subject.Kind != registry.KindTool || c.Draft.Type != proposals.New {
		return nil, nil
	}
	others, err := c.World.ByName(ctx, c.Draft.Subject.ID)
	if err != nil {
		return nil, err
	}
	for _, other := range others {
		if other.Subject.ID == c.Draft.Subject.ID && !other.Locked && other.Subject.Layer.Rank() < c.Draft.Subject.Layer.Rank() {
			return []rules.Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("This definition hides %s.", other.Subject)}}, nil
		}
	}
	return nil, nil
}

// coreID reports a tool with the id of a core tool. Core tools are locked, because every other tool
// is compared with them.
func coreID(c *rules.Change) []rules.Finding {
	if c.Draft.Subject.Kind != registry.KindTool || !shipped.IsCore(c.Draft.Subject.ID) {
		return nil
	}
	return []rules.Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("%s is a core tool, and core tools are locked in every layer.", c.Draft.Subject.ID)}}
}

// coreAlias reports aliases that are ids of core tools.
func coreAlias(c *rules.Change) []rules.Finding {
	var found []rules.Finding
	for i, alias := range aliases(c) {
		if shipped.IsCore(alias) {
			found = append(found, rules.Finding{Path: aliasPath(i), Passage: alias, Message: fmt.Sprintf("The alias %s is the id of a core tool, so it cannot be used.", alias)})
		}
	}
	return found
}

// eachName calls visit once for the id and once for each alias of the tool.
func eachName(c *rules.Change, visit func(path, name string)) {
	visit("subject", c.Draft.Subject.ID)
	for i, alias := range aliases(c) {
		visit(aliasPath(i), alias)
	}
}

func aliases(c *rules.Change) []string {
	if c.Draft.Definition.Tool == nil {
		return nil
	}
	return c.Draft.Definition.Tool.Aliases
}

func aliasPath(i int) string { return fmt.Sprintf("definition.aliases[%d]", i) }
