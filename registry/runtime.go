package registry

import "slices"

// destructiveCategories lists the categories whose tools change or end things as a rule: a
// tool in one of them counts as destructive until it says otherwise.
var destructiveCategories = [...]string{"terminal", "code_changes", "sandbox"}

// DestructiveCategory reports whether tools of a category destroy as a rule.
func DestructiveCategory(name string) bool { return slices.Contains(destructiveCategories[:], name) }

// Destroys reports whether calls of t are taken to destroy something: because it
// says so, or because its category does and it says nothing else.
func (t *Tool) Destroys() bool {
	a := t.Annotations
	switch {
	case a != nil && a.Destructive != nil:
		return *a.Destructive
	case a != nil && a.ReadOnly != nil && *a.ReadOnly:
		return false
	}
	return DestructiveCategory(t.Category)
}

// Confirms reports whether each call of t has to be confirmed.
func (t *Tool) Confirms() bool {
	a := t.Annotations
	return a != nil && a.RequiresConfirmation != nil && *a.RequiresConfirmation
}

// Asks returns the approval tier that applies to a call, given the user's
// override ("" for none). A tool that has to be confirmed asks whatever its tier
// and the user's override are.
func (t *Tool) Asks(override ApprovalTier) ApprovalTier {
	if t.Confirms() {
		return RequiresApproval
	}
	return t.Approval.Effective(override)
}
