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

// Server returns the MCP server that runs t, "" for a tool of none.
func (t *Tool) Server() string {
	if t.Provider == nil || t.Provider.Type != ProviderMCP {
		return ""
	}
	return t.Provider.Server
}

// Has reports whether the annotation of a key is true of t. Destructive is true
// also of a tool that is taken to destroy something because of its category.
func (t *Tool) Has(annotation string) bool {
	a := t.Annotations
	if a == nil {
		a = &Annotations{}
	}
	is := func(b *bool) bool { return b != nil && *b }
	switch annotation {
	case "readOnly":
		return is(a.ReadOnly)
	case "destructive":
		return t.Destroys()
	case "idempotent":
		return is(a.Idempotent)
	case "requiresConfirmation":
		return is(a.RequiresConfirmation)
	case "openWorld":
		return is(a.OpenWorld)
	}
	return false
}
