// This file parses exceptions of rules.

package rulebook

import (
	"fmt"
	"strings"
)

// Exception is a list of conditions. If all are met, a match of the rule is benign.
type Exception []Condition

// Condition refers to a predicate in package wording by its name.
type Condition struct {
	Not      bool
	Name     string
	Concepts string // arguments of the predicate, if it takes concepts
}

// UnmarshalText parses conditions joined by " & ".
func (e *Exception) UnmarshalText(text []byte) error {
	for part := range strings.SplitSeq(string(text), "&") {
		var c Condition
		part, c.Not = strings.CutPrefix(strings.TrimSpace(part), "!")
		c.Name, c.Concepts, _ = strings.Cut(part, " ")
		if c.Name == "" || strings.Contains(c.Concepts, " ") {
			return fmt.Errorf("invalid condition %q: use a name, followed by concepts joined by | if it takes any", part)
		}
		*e = append(*e, c)
	}
	return nil
}
