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

// String returns e in the format of the rule files.
func (e Exception) String() string {
	parts := make([]string, len(e))
	for i, c := range e {
		if c.Not {
			parts[i] = "!"
		}
		parts[i] += strings.TrimSpace(c.Name + " " + c.Concepts)
	}
	return strings.Join(parts, " & ")
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
