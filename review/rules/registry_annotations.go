package rules

import (
	"fmt"
	"strings"

	"toolcrib/proposals"
	"toolcrib/registry"
)

// promise is what a verb says about a tool before its annotations do.
type promise struct {
	readOnly    *bool
	destructive *bool
}

// promises by verb; what is nil is for the annotations to say.
var verbPromises = map[string]promise{
	"get":    {readOnly: yes(), destructive: no()},
	"search": {readOnly: yes(), destructive: no()},
	"create": {readOnly: no()},
	"update": {readOnly: no()},
	"set":    {readOnly: no()},
	"link":   {readOnly: no()},
	"delete": {readOnly: no(), destructive: yes()},
}

// deletes drafts a tool that deletes, with a hint of whether it only reads.
func deletes(readOnly *bool) proposals.Draft {
	return annotated("delete_invoices", registry.Annotations{ReadOnly: readOnly, Destructive: yes()}, registry.RequiresApproval)
}

func annotationRules() []Rule {
	return []Rule{
		stated(Rule{
			ID: "R111", Name: "annotations-against-verb", Severity: Warn, Waivable: true,
			Doc: "The annotations say something else than the name: a `get_` or `search_` tool that writes or " +
				"destroys, or a `create_`, `update_` or `delete_` tool that only reads. One of the two is wrong, and " +
				"hosts decide by the annotations whether to ask.",
			Suggestion: "Correct the annotation, or rename the tool after what it does.",
			Bad:        Example{Show: `"readOnly": true for delete_invoices`, Draft: deletes(yes())},
			Good:       Example{Show: `"readOnly": false for delete_invoices`, Draft: deletes(no())},
		}, func(t *registry.Tool) []Finding {
			verb, _, _ := strings.Cut(t.ID, "_")
			p, h := verbPromises[verb], hints(t)
			var found []Finding
			add := func(key string, hint, promised *bool) {
				if hint != nil && promised != nil && *hint != *promised {
					found = append(found, Finding{
						Path:    "definition.annotations." + key,
						Message: fmt.Sprintf("A tool called %s_ should have %s %s; this one says %s.", verb, key, said(promised), said(hint)),
					})
				}
			}
			add("readOnly", h.ReadOnly, p.readOnly)
			add("destructive", h.Destructive, p.destructive)
			return found
		}),
		stated(Rule{
			ID: "R112", Name: "delete-not-marked", Severity: Warn, Waivable: true,
			Doc:        "A `delete_` tool does not say that it is destructive. Whoever decides by the annotation lets it run like any other.",
			Suggestion: `Write "destructive": true.`,
			Bad:        Example{Show: "delete_invoices without annotations", Draft: action("delete_invoices")},
			Good:       Example{Show: `"destructive": true for delete_invoices`, Draft: annotated("delete_invoices", registry.Annotations{Destructive: yes()}, registry.RequiresApproval)},
		}, func(t *registry.Tool) []Finding {
			verb, _, _ := strings.Cut(t.ID, "_")
			if verb != "delete" || imported(t) || hints(t).Destructive != nil {
				return nil
			}
			return []Finding{{Path: "definition.annotations", Message: "It deletes, and does not say that it is destructive."}}
		}),
		stated(Rule{
			ID: "R113", Name: "annotations-contradict", Severity: Warn, Waivable: true,
			Doc:        "Two statements about a tool cannot both be true: it only reads and destroys, or it must be confirmed and always runs unasked.",
			Suggestion: "Decide which of the two holds, and correct the other.",
			Bad:        Example{Show: `"readOnly": true, "destructive": true`, Draft: annotated("set_invoices", registry.Annotations{ReadOnly: yes(), Destructive: yes()}, registry.RequiresApproval)},
			Good:       Example{Show: `"readOnly": false, "destructive": true`, Draft: annotated("set_invoices", registry.Annotations{ReadOnly: no(), Destructive: yes()}, registry.RequiresApproval)},
		}, func(t *registry.Tool) []Finding {
			h := hints(t)
			var found []Finding
			add := func(message string) {
				found = append(found, Finding{Path: "definition.annotations", Message: message})
			}
			if is(h.ReadOnly) && is(h.Destructive) {
				add("It says that it only reads and that it is destructive.")
			}
			if is(h.RequiresConfirmation) && t.Approval.Effective("") == registry.AutoApprove {
				add("It says that it must be confirmed, and its approval tier that it runs unasked. The confirmation counts: every call waits for the user.")
			}
			return found
		}),
	}
}
