package rules

import (
	"context"
	"fmt"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// lock is the L family: the core tools are what every other tool is judged by,
// so nothing takes their place.
func lock() []Rule {
	return []Rule{
		{
			ID: "L101",
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				if c.Draft.Subject.Kind != registry.KindTool || !shipped.IsCore(c.Draft.Subject.ID) {
					return nil, nil
				}
				return []Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("%s is a core tool, and core tools are locked in every layer.", c.Draft.Subject.ID)}}, nil
			},
		},
		{
			ID: "L102",
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				var found []Finding
				for i, alias := range aliases(c) {
					if shipped.IsCore(alias) {
						found = append(found, Finding{Path: aliasPath(i), Passage: alias, Message: fmt.Sprintf("The alias %s is the id of a core tool, which cannot be taken.", alias)})
					}
				}
				return found, nil
			},
		},
	}
}

func aliases(c *Change) []string {
	if c.Draft.Definition.Tool == nil {
		return nil
	}
	return c.Draft.Definition.Tool.Aliases
}

func aliasPath(i int) string { return fmt.Sprintf("definition.aliases[%d]", i) }
