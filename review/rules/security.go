package rules

// security is the S family: text that works on the model that reads it.
func security() []Rule {
	return append(append(wordingRules("S"), hiding()...), unrendered(), signs())
}

// protocol is the P family: text that breaks the forms in which agents call
// tools and prove what they claim.
func protocol() []Rule { return wordingRules("P") }
