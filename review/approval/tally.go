// This file counts the approvals that a change has and the approvals that it still needs.

package approval

import (
	"fmt"
	"slices"
	"strings"

	"toolcrib/internal/lists"
)

// Tally contains the given and the missing approvals of a change.
type Tally struct {
	Given []string // principals with a valid approval, in the order of approval
	Waits []Wait   // missing approvals, with one element for each rule that is not satisfied
}

// Wait describes the approvals that are missing for a rule.
type Wait struct {
	Missing int      // number of missing approvals
	Of      []string // owners who can still approve; fewer than Missing if the rule cannot be satisfied
}

// Tally counts the approvals by the given principals, and counts each principal once. Approvals by excluded do not
// count. If the policy requires four eyes, excluded is the author of the change; otherwise, it is "".
func (n Need) Tally(principals []string, excluded string) Tally {
	var t Tally
	for _, principal := range principals {
		if principal != excluded && n.MayApprove(principal) && !slices.Contains(t.Given, principal) {
			t.Given = append(t.Given, principal)
		}
	}
	for _, r := range n {
		w := Wait{Missing: r.Approvals}
		for _, owner := range r.Owners {
			switch {
			case slices.Contains(t.Given, owner):
				w.Missing--
			case owner != excluded:
				w.Of = append(w.Of, owner)
			}
		}
		if w.Missing > 0 {
			t.Waits = append(t.Waits, w)
		}
	}
	if len(n) == 0 && len(t.Given) == 0 {
		t.Waits = append(t.Waits, Wait{Missing: 1})
	}
	return t
}

// Done reports whether the change has all approvals that it needs.
func (t Tally) Done() bool { return len(t.Waits) == 0 }

// Missing returns the number of further approvals that are needed. One approval can satisfy several rules. Missing
// assumes that each further approval is given by the owner whose approval counts for the most rules.
func (t Tally) Missing() int {
	left := lists.Map(t.Waits, func(w Wait) int { return w.Missing })
	used := map[string]bool{}
	for n := 0; ; n++ {
		best, most := "", 0
		for _, principal := range t.WaitsFor() {
			helps := 0
			for i, w := range t.Waits {
				if left[i] > 0 && slices.Contains(w.Of, principal) {
					helps++
				}
			}
			if helps > most && !used[principal] {
				best, most = principal, helps
			}
		}
		if best == "" { // nobody can give the remaining approvals
			for _, l := range left {
				n += max(l, 0)
			}
			return n
		}
		used[best] = true
		for i, w := range t.Waits {
			if slices.Contains(w.Of, best) {
				left[i]--
			}
		}
	}
}

// Required returns the total number of approvals that the change needs.
func (t Tally) Required() int { return len(t.Given) + t.Missing() }

// WaitsFor returns the users who can give a missing approval, in the order of the rules.
func (t Tally) WaitsFor() []string {
	var all []string
	for _, w := range t.Waits {
		all = lists.Union(all, w.Of)
	}
	return all
}

// String formats the tally, such as "1 of 2, waits for user:ada".
func (t Tally) String() string {
	s := fmt.Sprintf("%d of %d", len(t.Given), t.Required())
	for i, w := range t.Waits {
		word := ", waits for "
		if i > 0 {
			word = " and for "
		}
		switch {
		case len(w.Of) < w.Missing:
			s += fmt.Sprintf("%s%d more, but too few owners can approve", word, w.Missing)
		case len(w.Of) == w.Missing:
			s += word + strings.Join(w.Of, " and ")
		default:
			s += fmt.Sprintf("%s%d of %s", word, w.Missing, strings.Join(w.Of, ", "))
		}
	}
	return s
}
