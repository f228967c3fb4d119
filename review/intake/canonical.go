// This file plans the migration of a legacy registry to the canonical catalog.

package intake

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/proposals"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
)

// Migration is the plan for migrating a legacy registry to the canonical catalog.
type Migration struct {
	Steps []Step
	// Retired lists the retired names that the legacy registry contains.
	Retired []RetiredName
	// DeadTiers lists the tools that have an approval tier but do not exist. Their tiers have no effect.
	DeadTiers []string
	// Remarks describes irregularities that the migration does not change.
	Remarks []string
}

// RetiredName is a retired name and the places in a legacy registry that contain it.
type RetiredName struct {
	Name      string   `json:"name"`
	Successor string   `json:"successor"` // "" if the name has no successor
	In        []string `json:"in"`
}

// Canonicalize plans the migration of a legacy registry. The plan deactivates live definitions with a retired name, and
// makes all canonical tools live and active. In all agents, of the legacy registry and of the live registry, it
// replaces retired names with their successors. An agent that had the complete old catalog gets the complete new
// catalog. Canonical tools that were changed after they shipped keep their approved content.
//
// After the steps have been approved and applied, the same legacy registry yields no steps.
func Canonicalize(l Legacy, o Origin, live []registry.Live) Migration {
	c := canonicalizer{planner: planner{origin: o}}
	c.index(live)
	for _, name := range shipped.RetiredNames() { // deactivate the live definitions with this name in all layers of the view
		for _, l := range c.all {
			if l.Subject.Kind != registry.KindTool || l.Subject.ID != name || l.Definition.Status() != registry.Active {
				continue
			}
			successor, _ := shipped.Retired(name)
			why := "Its name is retired, and it has no successor."
			if successor != "" {
				why = fmt.Sprintf("Its name is retired; its successor is %s.", successor)
			}
			step := Step{Name: name, Subject: l.Subject, Change: Deactivate, Reason: why}
			step.Draft = c.origin.draft(proposals.Deactivate, l.Subject, l.Version, l.Definition.WithStatus(registry.Deactivated), why)
			c.Steps = append(c.Steps, step)
		}
	}
	for _, d := range shipped.Assistant() { // add the canonical tools that are missing, and reactivate the deactivated ones
		subject := registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: d.ID()}
		step := Step{Name: d.ID(), Subject: subject}
		i := slices.IndexFunc(c.all, func(l registry.Live) bool { return l.Subject == subject })
		switch {
		case i < 0:
			step.Change, step.Reason = New, "It belongs to the canonical catalog."
			step.Draft = c.origin.draft(proposals.New, subject, 0, d, step.Reason)
		case c.all[i].Definition.Status() == registry.Deactivated:
			step.Change, step.Reason = Reactivate, "It belongs to the canonical catalog and is deactivated."
			step.Draft = c.origin.draft(proposals.Reactivate, subject, c.all[i].Version, c.all[i].Definition.WithStatus(registry.Active), step.Reason)
		default:
			if c.all[i].Definition.Hash() != d.Hash() {
				c.remark("%s was changed since it shipped (version %d); the migration does not replace the approved content", subject, c.all[i].Version)
			}
			continue
		}
		c.Steps = append(c.Steps, step)
	}
	linked := lists.Index(l.Agents, func(a LegacyAgent) (string, LegacyAgent) { return a.ID, a })
	agents := c.byID[registry.KindAgent]
	for _, id := range slices.Sorted(maps.Keys(agents)) {
		l, more := agents[id], linked[id].Tools // more: the agent's tools in the legacy registry
		delete(linked, id)
		agent := *l.Definition.Agent
		list := registry.AllowList{}
		if agent.AllowList != nil {
			list = *agent.AllowList
		}
		if list.Reference() && len(more) > 0 {
			if spelled, ok := shipped.List(list.Name); ok {
				list = spelled
			}
		}
		had := append(slices.Clone(list.Tools), more...)
		renewed := list
		renewed.Tools = successors(had)
		renewed.AddWhenNonLocal, renewed.ExcludeInLocal = successors(list.AddWhenNonLocal), successors(list.ExcludeInLocal)
		renewed.AddWhenEmbeddingOK = successors(list.AddWhenEmbeddingOK)
		if sameList(list, renewed) || l.Refused != nil {
			continue
		}
		renewed.Name = ""
		agent.AllowList = &renewed
		if sameTools(renewed, canonicalIDs()) {
			agent.AllowList = &registry.AllowList{Name: shipped.AssistantID}
		}
		c.agentStep(proposals.Modify, l.Subject, l.Version, agent, had)
	}
	for _, id := range slices.Sorted(maps.Keys(linked)) {
		a := linked[id] // an agent that is only in the legacy registry
		tools := successors(a.Tools)
		if slices.Equal(tools, distinct(a.Tools)) && !slices.ContainsFunc(tools, func(id string) bool { return slices.Contains(canonicalIDs(), id) }) {
			c.remark("the agent %s has no tools of the old or the new catalog, so it is not imported", a.ID)
			continue
		}
		profile := registry.Agent{ID: a.ID, Name: cmp.Or(a.Name, a.ID), Description: a.Description, AllowList: &registry.AllowList{Tools: tools}}
		profile.Soul, profile.PromptTemplate = a.Soul, a.template()
		if sameTools(*profile.AllowList, canonicalIDs()) {
			profile.AllowList = &registry.AllowList{Name: shipped.AssistantID}
		}
		c.agentStep(proposals.New, registry.Subject{Kind: registry.KindAgent, Layer: c.origin.Layer, ID: a.ID}, 0, profile, a.Tools)
	}
	c.retired(l)
	c.report(l)
	return c.Migration
}

type canonicalizer struct {
	planner
	Migration
}

func (c *canonicalizer) remark(format string, args ...any) {
	c.Remarks = append(c.Remarks, fmt.Sprintf(format, args...))
}

// agentStep adds a step for the agent s. The step describes which of the agent's previous tools, oldTools, were
// replaced or removed.
func (c *canonicalizer) agentStep(kind proposals.Type, s registry.Subject, base int, a registry.Agent, oldTools []string) {
	var moved, dropped []string
	for _, name := range distinct(oldTools) {
		switch successor, retired := shipped.Retired(name); {
		case successor != "":
			moved = append(moved, name+" → "+successor)
		case retired:
			dropped = append(dropped, name)
		}
	}
	text := ""
	if len(moved) > 0 {
		text = strings.Join(moved, ", ") + "."
	}
	if len(dropped) > 0 {
		text += " Without a successor: " + strings.Join(dropped, ", ") + "."
	}
	if more := completion(oldTools); len(more) > 0 {
		text += " The agent had the complete old catalog and gets the complete new catalog: " + strings.Join(more, ", ") + " are added."
	}
	step := Step{Name: s.ID, Subject: s, Change: Change(kind), Reason: strings.TrimSpace(text)}
	step.Draft = c.origin.draft(kind, s, base, registry.Definition{Agent: &a}, "Its tools move to the canonical catalog. "+step.Reason)
	c.Steps = append(c.Steps, step)
}

// successors replaces the retired names in names by their successors, and adds the tools that completion returns. The
// result has no duplicates.
func successors(names []string) []string {
	var out []string
	for _, name := range names {
		if successor, retired := shipped.Retired(name); retired {
			name = successor
		}
		if name != "" {
			out = append(out, name)
		}
	}
	return distinct(append(out, completion(names)...))
}

// completion returns the canonical tools that an agent with the given tools lacks, if the agent has all retired tools
// that have a successor. Otherwise, it returns nil.
func completion(names []string) []string {
	var have []string
	for _, name := range names {
		if successor, _ := shipped.Retired(name); successor != "" {
			have = append(have, successor)
		}
	}
	if len(have) == 0 {
		return nil
	}
	for _, old := range shipped.RetiredNames() {
		if successor, _ := shipped.Retired(old); successor != "" && !slices.Contains(have, successor) {
			return nil
		}
	}
	have = append(have, names...)
	return slices.DeleteFunc(slices.Clone(canonicalIDs()), func(id string) bool { return slices.Contains(have, id) })
}

// distinct returns the elements of names in the same order, without duplicates.
func distinct(names []string) []string { return lists.Union(nil, names) }

func canonicalIDs() []string {
	list, _ := shipped.List(shipped.AssistantID)
	return list.Tools
}

// sameList reports whether a and b list the same names in the same order.
func sameList(a, b registry.AllowList) bool {
	return slices.Equal(a.Tools, b.Tools) && slices.Equal(a.AddWhenNonLocal, b.AddWhenNonLocal) &&
		slices.Equal(a.ExcludeInLocal, b.ExcludeInLocal) && slices.Equal(a.AddWhenEmbeddingOK, b.AddWhenEmbeddingOK)
}

// sameTools reports whether l admits exactly the tools in ids, all by name and without conditions. It ignores the
// order.
func sameTools(l registry.AllowList, ids []string) bool {
	bare := registry.AllowList{Tools: l.Tools}
	return sameList(l, bare) && len(l.Categories)+len(l.Tiers) == 0 && slices.Equal(slices.Sorted(slices.Values(l.Tools)), slices.Sorted(slices.Values(ids)))
}

// report sets DeadTiers, and adds remarks about tiers that differ from the live registry and about unknown tools.
func (c *canonicalizer) report(l Legacy) {
	tools := c.byID[registry.KindTool]
	for _, name := range slices.Sorted(maps.Keys(l.ApprovalTiers)) {
		tier := l.ApprovalTiers[name]
		live, known := tools[name]
		switch {
		case shipped.DeadTierEntry(name) || !known:
			c.DeadTiers = append(c.DeadTiers, name)
		default:
			has := "without a tier"
			if a := live.Definition.Tool.Approval; a != nil {
				has = string(a.Tier)
			}
			if has != string(tier) {
				c.remark("%s is %s in the file and %s in the registry; the registry remains unchanged", name, tier, has)
			}
		}
	}
	names := lists.Map(l.Tools, func(t legacyTool) string { return string(t) })
	for _, a := range l.Agents {
		names = append(names, a.Tools...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		_, known := tools[name]
		if _, retired := shipped.Retired(name); !known && !retired {
			c.remark("%s is neither in the registry nor a retired name; import or propose it", name)
		}
	}
}
