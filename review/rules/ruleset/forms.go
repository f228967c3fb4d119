package ruleset

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"toolcrib/prompt"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/rules"
	"toolcrib/review/rules/budget"
	"toolcrib/review/rules/rulebook"
)

// described fills in what the blocks of a file of forms say of rules.
func described(list []rules.Rule, file string) []rules.Rule {
	for _, f := range rulebook.Forms(file) {
		i := slices.IndexFunc(list, func(r rules.Rule) bool { return r.ID == f.ID })
		if i < 0 {
			continue // a test holds that each form has a check
		}
		r := &list[i]
		r.Name, r.Severity, r.Locked, r.Waivable = f.Name, rules.Severity(f.Severity), f.Locked, f.Waivable
		r.Bad, r.Good, r.Importer = f.Bad.Show, f.Good.Show, f.Importer
		r.Doc, r.Suggestion = figures().Replace(f.Doc), figures().Replace(f.Suggestion)
	}
	return list
}

// figures puts in what the blocks do not repeat: numbers and lists that code
// goes by.
var figures = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"{verbs}", strings.Join(shipped.Verbs(), ", "), "{categories}", strings.Join(registry.Categories(), ", "),
		"{descriptionLimit}", strconv.Itoa(prompt.DescriptionLimit), "{promptLimit}", strconv.Itoa(prompt.PromptLimit),
		"{promptGrowth}", strconv.Itoa(budget.PromptGrowth), "{manyCharacters}", strconv.Itoa(budget.ManyCharacters), "{manyBytes}", strconv.Itoa(budget.ManyBytes),
	)
})
