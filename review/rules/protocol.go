package rules

import "slices"

// protocol is the P family: text that breaks the forms in which agents call
// tools and prove what they claim.
func protocol() []Rule {
	var rules []Rule
	for _, a := range protocolAttacks() {
		rules = append(rules, a.rule())
	}
	slices.SortFunc(rules, func(a, b Rule) int { return compareIDs(a.ID, b.ID) })
	return rules
}

// protocolAttacks are the classes of the P family.
func protocolAttacks() []attack { return nil }
