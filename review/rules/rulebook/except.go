package rulebook

import (
	"fmt"
	"strings"
)

// Exception is conditions under which the words of a rule are honest when they
// all hold.
type Exception []Condition

// Condition is a check by name, in package wording.
type Condition struct {
	Not      bool
	Name     string
	Concepts string // of the lexicon, for conditions that ask for some
}

// String returns e as the file has it.
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

// UnmarshalText reads conditions joined by " & ".
func (e *Exception) UnmarshalText(text []byte) error {
	for part := range strings.SplitSeq(string(text), "&") {
		var c Condition
		part, c.Not = strings.CutPrefix(strings.TrimSpace(part), "!")
		c.Name, c.Concepts, _ = strings.Cut(part, " ")
		if c.Name == "" || strings.Contains(c.Concepts, " ") {
			return fmt.Errorf("%q is no condition: write a name, and concepts joined by | where it takes some", part)
		}
		*e = append(*e, c)
	}
	return nil
}
