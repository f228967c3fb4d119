package rules

import (
	"fmt"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// hintRules are about annotations that nobody gave.
func hintRules() []Rule {
	inTerminal := func(a *registry.Annotations) proposals.Draft {
		d := action("set_invoices")
		d.Definition.Tool.Category, d.Definition.Tool.Annotations = "terminal", a
		return d
	}
	return []Rule{stated(Rule{
		ID: "R114", Name: "destructive-not-stated", Severity: Info, Waivable: true,
		Doc: "A tool of a category whose tools change or end things as a rule (terminal, code_changes, sandbox) does not say " +
			"whether it is destructive. At run time it counts as destructive, so it does not run when the eval gate gives no answer.",
		Suggestion: `Say what holds: "destructive": true, "destructive": false or "readOnly": true.`,
		Bad:        Example{Show: `"category": "terminal" without annotations`, Draft: inTerminal(nil)},
		Good:       Example{Show: `"category": "terminal", "destructive": true`, Draft: inTerminal(&registry.Annotations{Destructive: yes()})},
	}, func(t *registry.Tool) []Finding {
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
