// Package wording implements the rules about wording. The S family detects text that manipulates
// models. The P family detects text that breaks the formats in which agents call tools and present
// evidence.
//
// The patterns of a rule, called frames, are data in package rulebook, and package scan matches
// them. The file attack.go turns the matches into candidates, judge in evidence.go scores the
// candidates with a learned table, and message.go turns them into findings. If frames cannot
// describe an attack, its rule in rulebook names a check that is implemented in Go.
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
