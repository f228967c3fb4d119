package trust

import (
	"fmt"
	"strings"

	"toolcrib/registry"
	"toolcrib/review/rules"
)

// promise is the behaviour that a verb suggests before a tool's annotations do.
type promise struct {
	readOnly    *bool
	destructive *bool
}

// promises by verb; nil leaves it to the annotations.
var verbPromises = map[string]promise{
	"get":    {readOnly: yes(), destructive: no()},
	"search": {readOnly: yes(), destructive: no()},
	"create": {readOnly: no()},
	"update": {readOnly: no()},
	"set":    {readOnly: no()},
	"link":   {readOnly: no()},
	"delete": {readOnly: no(), destructive: yes()},
}

func annotationRules() []rules.Rule {
	return []rules.Rule{
		stated("R111", func(t *registry.Tool) []rules.Finding {
			verb, _, _ := strings.Cut(t.ID, "_")
			p, h := verbPromises[verb], hints(t)
			var found []rules.Finding
			add := func(key string, hint, promised *bool) {
				if hint != nil && promised != nil && *hint != *promised {
					found = append(found, rules.Finding{
						Path:    "definition.annotations." + key,
						Message: fmt.Sprintf("A tool called %s_ should have %s %s; this one says %s.", verb, key, said(promised), said(hint)),
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
			return []rules.Finding{{Path: "definition.annotations", Message: "It deletes, and does not say that it is destructive."}}
		}),
		stated("R113", func(t *registry.Tool) []rules.Finding {
			h := hints(t)
			var found []rules.Finding
			add := func(message string) {
				found = append(found, rules.Finding{Path: "definition.annotations", Message: message})
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
