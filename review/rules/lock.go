package rules

import (
	"context"
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// lock is the L family: the core tools are what every other tool is judged by,
// so nothing takes their place.
func lock() []Rule {
	return []Rule{
		{
			ID: "L101", Name: "core-id", Severity: Block, Locked: true,
			Doc: "The subject has the id of a core tool. Core tools are locked in every layer: a definition " +
				"of the same id in the user's or a project's layer would hide the one that everybody relies on.",
			Suggestion: "Fork the core tool into a tool of your own: `toolcrib fork ID` makes `ID_custom`.",
			Bad:        Example{Show: "tool:user/file_reader", Draft: renamed("file_reader")},
			Good:       Example{Show: "tool:user/file_reader_custom", Draft: renamed("file_reader_custom")},
			Check: func(_ context.Context, c *Change) ([]Finding, error) {
				if c.Draft.Subject.Kind != registry.KindTool || !shipped.IsCore(c.Draft.Subject.ID) {
					return nil, nil
				}
				return []Finding{{Path: "subject", Passage: c.Draft.Subject.String(), Message: fmt.Sprintf("%s is a core tool, and core tools are locked in every layer.", c.Draft.Subject.ID)}}, nil
			},
		},
		{
			ID: "L102", Name: "core-alias", Severity: Block, Locked: true,
			Doc:        "An alias is the id of a core tool. A call to the core tool would reach this one instead.",
			Suggestion: "Choose another alias.",
			Bad:        Example{Show: `"aliases": ["file_reader"]`, Draft: aliased("file_reader")},
			Good:       Example{Show: `"aliases": ["scene_reader"]`, Draft: aliased("scene_reader")},
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

func renamed(id string) proposals.Draft {
	d := sample()
	d.Subject.ID, d.Definition.Tool.ID = id, id
	return d
}

func aliased(alias string) proposals.Draft {
	d := sample()
	d.Definition.Tool.Aliases = []string{alias}
	return d
}

func aliases(c *Change) []string {
	if c.Draft.Definition.Tool == nil {
		return nil
	}
	return c.Draft.Definition.Tool.Aliases
}

func aliasPath(i int) string { return fmt.Sprintf("definition.aliases[%d]", i) }
