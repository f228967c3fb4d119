package rules

import "context"

// Rule is one thing the Chief of Staff looks for.
type Rule struct {
	ID   string // family letter and three digits: "S104"
	Name string // a few words in lower case with hyphens: "override-phrase"
	// Severity is that of its findings; of a rule about wording it is the worst they
	// can be, and the evidence decides (judge).
	Severity   Severity
	Doc        string // its findings and why they matter; Markdown, a short paragraph
	Suggestion string // what to do about a finding, unless the finding says better
	// Importer advises somebody who imports a definition with a finding and cannot change
	// it.
	Importer string
	// Waivable reports whether the user may waive a finding of this rule. Rules of
	// structure (T, L, D, hard limits) cannot be waived.
	Waivable bool
	// Locked rules keep their severity whatever the configuration says.
	Locked bool
	// AsksAlike reports whether Check asks the world for similar definitions.
	AsksAlike bool
	// Bad is an example that the rule finds, Good a similar one that passes.
	Bad, Good string
	// Check returns its findings in c. The caller fills in Rule, Severity, Waivable
	// and an empty Suggestion.
	Check func(ctx context.Context, c *Change) ([]Finding, error)
}

// Family returns the letter that the rule's id begins with.
func (r Rule) Family() string { return r.ID[:1] }
