package ruleset

import (
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

// forms are the blocks of the rules that are not about wording, by id.
var forms = sync.OnceValue(func() map[string]*rulebook.Form {
	list := rulebook.Forms()
	byID := make(map[string]*rulebook.Form, len(list))
	for i := range list {
		byID[list[i].ID] = &list[i]
	}
	return byID
})

// described fills in what the block of a rule says. A rule about wording has it
// already.
func described(r rules.Rule) rules.Rule {
	f, ok := forms()[r.ID]
	if !ok {
		return r
	}
	r.Name, r.Severity, r.Locked, r.Waivable = f.Name, rules.Severity(f.Severity), f.Locked, f.Waivable
	r.Bad, r.Good = f.Bad.Show, f.Good.Show
	r.Doc, r.Suggestion = figures().Replace(f.Doc), figures().Replace(f.Suggestion)
	return r
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
