package wording

import (
	"context"
	"sync"

	"toolcrib/review/rules"
	"toolcrib/review/rules/scan"
)

// View is a change as the rules about wording see it: with its texts scanned and
// weighed, once for all of them.
type View struct {
	*rules.Change
	// Learned is the table that the wording is weighed by; nil is the one in force.
	Learned *Learned

	scans      sync.Once
	scanList   []Scanned
	purposes   sync.Once
	purposeSet scan.Set
	evidences  sync.Once
	evidenceOf *evidence
	settings   sync.Once
	settingOf  *setting
}

// Of returns the view of c, which all rules share.
func Of(c *rules.Change) *View {
	return rules.Computed(c, func(c *rules.Change) *View { return &View{Change: c} })
}

// EachText makes a check of one that looks at one text at a time.
func EachText(check func(s *Scanned) []rules.Finding) func(context.Context, *rules.Change) ([]rules.Finding, error) {
	return func(_ context.Context, change *rules.Change) ([]rules.Finding, error) {
		c := Of(change)
		var found []rules.Finding
		for i := range c.Scan() {
			found = append(found, check(&c.Scan()[i])...)
		}
		return found, nil
	}
}
