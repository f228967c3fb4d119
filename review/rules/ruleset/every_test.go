package ruleset

import (
	"slices"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/rulebook"
	"toolcrib/review/rules/rulestest"
)

// exampled is a rule with the examples in its block.
type exampled struct {
	rules.Rule
	bad, good rulestest.Example
}

// everyRule returns every rule with its examples.
var everyRule = sync.OnceValue(func() []exampled {
	var list []exampled
	for _, r := range All() {
		list = append(list, exemplified(r))
	}
	return list
})

// family returns the rules of a family.
func family(letter string) []exampled {
	return slices.DeleteFunc(slices.Clone(everyRule()), func(r exampled) bool { return r.Family() != letter })
}

func exemplified(r rules.Rule) exampled {
	if f, ok := formsByID()[r.ID]; ok {
		bad, good := built(r.ID)
		return exampled{r, rulestest.ExampleOf(f.Bad, bad), rulestest.ExampleOf(f.Good, good)}
	}
	for _, a := range rulebook.Rules() {
		if a.ID == r.ID {
			return exampled{r, rulestest.OfText(a.Bad[0]), rulestest.OfText(a.Good[0])}
		}
	}
	return exampled{Rule: r}
}

// plainRules returns the rules without their examples.
func plainRules(list []exampled) []rules.Rule {
	var plain []rules.Rule
	for _, r := range list {
		plain = append(plain, r.Rule)
	}
	return plain
}
