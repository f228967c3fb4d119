// This file parses the exceptions of rules.

package rulebook

import (
	"fmt"
	"strings"
)

// Exception is a list of conditions. A match of the rule is benign if it meets all conditions.
type Exception []Condition

// Condition is the name of a predicate in package wording. The predicate may be negated.
type Condition struct {
	Not      bool
	Name     string
	Concepts string // concepts joined by "|", if the predicate takes any
}

// UnmarshalText parses a list of conditions that are joined by "&".
func (e *Exception) UnmarshalText(text []byte) error {
	for part := range strings.SplitSeq(string(text), "&") {
		var c Condition
		part, c.Not = strings.CutPrefix(strings.TrimSpace(part), "!")
		c.Name, c.Concepts, _ = strings.Cut(part, " ")
		if c.Name == "" || strings.Contains(c.Concepts, " ") {
			return fmt.Errorf("invalid condition %q: use a name, followed by concepts joined by | if the condition requires concepts", part)
		}
		*e = append(*e, c)
	}
	return nil
}
