// Package wording holds the rules about what a text says: the S family, text that works
// on the model that reads it, and the P family, text that breaks the forms in which
// agents call tools and prove what they claim. The frames of a rule are data in
// rulebook; scan matches them, judge in evidence.go weighs what they found with the
// learned tables, and attack.go turns it into findings. What a frame cannot describe is
// a check in Go that the block of its rule names.
package wording

import (
	"slices"

	"toolcrib/review/rules"
)

// Rules returns the rules about wording: the S family, text that works on the
// model that reads it, and the P family, text that breaks the forms in which agents
// call tools and prove what they claim.
func Rules() []rules.Rule {
	return slices.Concat(wordingRules("S"), wordingRules("P"), []rules.Rule{encoded(), comment(), quoted(), readable(), signs()})
}
