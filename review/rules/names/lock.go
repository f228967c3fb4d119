package names

import (
	"context"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
)

// coreID keeps the ids of core tools: every other tool is judged by them, so that
// nothing takes their place.
func coreID() rules.Rule {
	return rules.Rule{
		ID: "L101",
		Check: func(_ context.Context, c *rules.Change) ([]rules.Finding, error) {
			if c.Draft.Subject.Kind != registry.KindTool || !shipped.IsCore(c.Draft.Subject.ID) {
				return nil, nil
			}
			return []rules.Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("%s is a core tool, and core tools are locked in every layer.", c.Draft.Subject.ID)}}, nil
		},
	}
}

// coreAlias is the same for the aliases of a tool.
func coreAlias() rules.Rule {
	return rules.Rule{
		ID: "L102",
		Check: func(_ context.Context, c *rules.Change) ([]rules.Finding, error) {
			var found []rules.Finding
			for i, alias := range aliases(c) {
				if shipped.IsCore(alias) {
					found = append(found, rules.Finding{Path: aliasPath(i), Passage: alias, Message: fmt.Sprintf("The alias %s is the id of a core tool, which cannot be taken.", alias)})
				}
			}
			return found, nil
		},
	}
}

func aliases(c *rules.Change) []string {
	if c.Draft.Definition.Tool == nil {
		return nil
	}
	return c.Draft.Definition.Tool.Aliases
}

func aliasPath(i int) string { return fmt.Sprintf("definition.aliases[%d]", i) }
