package intake

import (
	"maps"
	"slices"

	"toolcrib/registry/shipped"
	"toolcrib/review/rules/agents"
)

// retired lists every retired name of a legacy registry with the places where
// it stands: among its tools, its tiers, what its agents were linked to, and
// their souls and templates.
func (c *canonizer) retired(l Legacy) {
	places := map[string][]string{}
	add := func(name, place string) {
		if _, retired := shipped.Retired(name); retired && !slices.Contains(places[name], place) {
			places[name] = append(places[name], place)
		}
	}
	for _, t := range l.Tools {
		add(string(t), "tools")
	}
	for _, name := range slices.Sorted(maps.Keys(l.ApprovalTiers)) {
		add(name, "approvalTiers")
	}
	for _, a := range l.Agents {
		for _, name := range a.Tools {
			add(name, "tools of "+a.ID)
		}
		for _, name := range agents.RetiredNames(a.Soul) {
			add(name, "soul of "+a.ID)
		}
		for _, name := range agents.RetiredNames(a.template()) {
			add(name, "template of "+a.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(places)) {
		successor, _ := shipped.Retired(name)
		c.Retired = append(c.Retired, RetiredName{Name: name, Successor: successor, In: places[name]})
	}
}
