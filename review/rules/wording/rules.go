// Package wording implements the rules about wording: the S family detects text that manipulates
// the model reading it, and the P family detects text that breaks the formats in which agents call
// tools and present evidence. The patterns of a rule, called frames, are data in package rulebook.
// Package scan matches them, judge (evidence.go) scores the matches with a learned table, and
// attack.go turns them into findings. For a rule that frames cannot describe, rulebook names a
// check in Go.
package wording

import (
	"slices"

	"toolcrib/review/rules"
)

// Rules returns the rules of the S and P families that this package implements.
func Rules() []rules.Rule {
	form := []rules.Rule{EachText("S107", comments), EachText("S108", encoded)}
	for i := range form {
		form[i].Form = true
	}
	return slices.Concat(wordingRules("S"), wordingRules("P"), form, []rules.Rule{{ID: "S139", Check: unmatchedAttacks}})
}
