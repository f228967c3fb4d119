package rules

import (
	"fmt"

	"toolcrib/registry"
)

// hintRules are about annotations that nobody gave.
func hintRules() []Rule {
	return []Rule{stated("R114", func(t *registry.Tool) []Finding {
		h := hints(t)
		if h.Destructive != nil || is(h.ReadOnly) || !registry.DestructiveCategory(t.Category) {
			return nil
		}
		return []Finding{{
			Path:    "definition.annotations",
			Message: fmt.Sprintf("Tools of the category %s destroy as a rule, and this one does not say whether it does. It counts as destructive.", t.Category),
		}}
	})}
}
