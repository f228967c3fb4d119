package approval

import "slices"

// Helps reports whether the approval of a principal would reduce the number of missing approvals.
func (t Tally) Helps(principal string) bool {
	return slices.ContainsFunc(t.Waits, func(w Wait) bool { return len(w.Of) == 0 || slices.Contains(w.Of, principal) })
}
