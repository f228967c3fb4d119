// Package wording holds the rules about wording: the S family, text that works on
// the model that reads it, and the P family, text that breaks the forms in which
// agents call tools and prove their claims. The frames of a rule are data in
// rulebook; scan matches them, judge in evidence.go weighs the matches with the
// learned tables, and attack.go turns them into findings. A rule that frames
// cannot describe has a check in Go, which the block of the rule names.
package wording

import (
	"slices"

	"toolcrib/review/rules"
)

// Rules returns the rules about wording: the S family, text that works on the
// model that reads it, and the P family, text that breaks the forms in which
// agents call tools and prove their claims.
func Rules() []rules.Rule {
	form := []rules.Rule{EachText("S107", comments), EachText("S108", encoded)}
	for i := range form {
		form[i].Form = true
	}
	return slices.Concat(wordingRules("S"), wordingRules("P"), form, []rules.Rule{{ID: "S139", Check: signs}})
}
