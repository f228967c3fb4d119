package prompt

import "time"

// Reference returns the fixed context that a review renders prompts in, so
// that only the definitions change a prompt between two reviews: a
// fixed time and a user of whom nothing is known.
func Reference() Context {
	return Context{Now: time.Date(2026, time.January, 15, 12, 0, 0, 0, time.UTC)}
}
