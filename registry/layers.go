package registry

import (
	"cmp"
	"slices"
)

// layers merges definitions of several layers in memory.
type layers struct {
	*memory
	view []Layer // nil: every layer
}

// sees reports whether l belongs to the view.
func (v layers) sees(l Live) bool {
	return l.Subject.Kind == KindTool && (v.view == nil || slices.Contains(v.view, l.Subject.Layer))
}

// offends reports whether l claims the id or an alias of a core tool, as its own id
// or as an alias. Such a definition counts as not there.
func (v layers) offends(l Live) bool {
	taken := func(other Live) bool { return other.Core() && v.sees(other) }
	return !l.Core() && slices.ContainsFunc(l.Names(), func(name string) bool { return slices.ContainsFunc(v.named[name], taken) })
}

// byID returns the visible definition of an id, deactivated or not.
func (v layers) byID(id string) (Entry, bool) {
	var stack []Live
	for _, l := range v.named[id] {
		if v.sees(l) && l.Subject.ID == id && !v.offends(l) {
			stack = append(stack, l)
		}
	}
	if len(stack) == 0 {
		return Entry{}, false
	}
	return stacked(stack), true
}

// byName returns the tool that has name as its id or alias.
func (v layers) byName(name string) (Entry, bool) {
	own, ok := v.byID(name)
	if ok && own.Active() {
		return own, true
	}
	if claims := v.claims(name); len(claims) > 0 && (claims[0].Active() || !ok) {
		return claims[0], true
	}
	return own, ok
}

// claims returns the tools that have name as an alias, the one that has it
// before all others first.
func (v layers) claims(name string) []Entry {
	claims := v.entries(v.named[name], func(e Entry) bool { return e.Subject.ID != name && slices.Contains(e.Names(), name) })
	slices.SortFunc(claims, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(inactive(a), inactive(b)), ByStrength(a.Live, b.Live), cmp.Compare(a.Subject.ID, b.Subject.ID))
	})
	return claims
}

func inactive(e Entry) int {
	if e.Active() {
		return 0
	}
	return 1
}

// entries returns those that keep says yes to of the entries that the tools in
// found lead to, each once.
func (v layers) entries(found []Live, keep func(Entry) bool) []Entry {
	var entries []Entry
	seen := map[string]bool{}
	for _, l := range found {
		if seen[l.Subject.ID] || !v.sees(l) {
			continue
		}
		seen[l.Subject.ID] = true
		if e, ok := v.byID(l.Subject.ID); ok && keep(e) {
			entries = append(entries, e)
		}
	}
	return entries
}
