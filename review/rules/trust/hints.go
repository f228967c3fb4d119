package trust

import (
	"fmt"

	"toolcrib/registry"
	"toolcrib/review/rules"
)

// hintRules are about annotations that nobody gave.
func hintRules() []rules.Rule {
	return []rules.Rule{stated("R114", func(t *registry.Tool) []rules.Finding {
		h := hints(t)
		if h.Destructive != nil || is(h.ReadOnly) || !registry.DestructiveCategory(t.Category) {
			return nil
		}
		return []rules.Finding{{
			Path:    "definition.annotations",
			Message: fmt.Sprintf("Tools of the category %s destroy as a rule, and this one does not say whether it does. It counts as destructive.", t.Category),
		}}
	})}
}
