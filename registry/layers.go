// This file merges layers in memory and decides which tools an allow-list admits.

package registry

import (
	"cmp"
	"context"
	"slices"

	"toolcrib/internal/lists"
)

// Live is the live version of a definition: the version that is in force in its layer.
type Live struct {
	Subject     Subject
	Version     int    // counted from 1
	ContentHash string // SHA-256 of the canonical definition
	Definition  Definition
	Locked      bool // core
	// Refused is the reason why the version is not trusted, or nil. It is only set if
	// decisions are signed. Definition is then deactivated and has no content.
	Refused error
}

// Refuse returns l as an untrusted version with the given reason. The definition of the
// result is deactivated and has no content.
func (l Live) Refuse(reason error) Live {
	l.Refused = reason
	switch l.Subject.Kind {
	case KindAgent:
		l.Definition = Definition{Agent: &Agent{ID: l.Subject.ID, Status: Deactivated}}
	case KindList:
		l.Definition = Definition{List: &List{ID: l.Subject.ID, Status: Deactivated}}
	case KindTool:
		l.Definition = Definition{Tool: &Tool{ID: l.Subject.ID, Status: Deactivated}}
	case KindSkill, KindInstructions:
		l.Definition = folderDefinition(l.Subject.Kind, &Folder{ID: l.Subject.ID, Status: Deactivated})
	}
	return l
}

// Columns contains the values of a definition that databases store in separate columns.
// Lists show these values without reading the definition.
type Columns struct {
	Name               string
	ToolKind, Category string // only set for tools
	Tier, Approval     string
	Tag                string // prefix of the tag
	Status             Status
	Origin             string // name of a tool at its source
	Source             string // server or file from which a tool was imported
}

// Columns returns the columns of d.
func (d Definition) Columns() Columns {
	c := Columns{Name: d.Name(), Status: d.Status()}
	if d.List != nil {
		c.Name = d.List.Name // List.Name can be empty; Definition.Name would return the id
	}
	t := d.Tool
	if t == nil {
		return c
	}
	c.ToolKind, c.Category, c.Tier = string(t.Kind), t.Category, string(t.Tier)
	c.Source, c.Origin = t.origin()
	if t.Approval != nil {
		c.Approval = string(t.Approval.Tier)
	}
	if t.Tag != nil {
		c.Tag = t.Tag.Prefix
	}
	return c
}

// layers merges definitions of several layers in memory.
type layers struct {
	*memoryFinder
	view []Layer // nil means all layers
}

// sees reports whether l is a tool of a layer in the view.
func (v layers) sees(l Live) bool {
	return l.Subject.Kind == KindTool && (v.view == nil || slices.Contains(v.view, l.Subject.Layer))
}

// byID returns the visible definition of the tool with the given id, active or not.
func (v layers) byID(id string) (Entry, bool) {
	var stack []Live
	core := func(l Live) bool { return l.Core() && v.sees(l) }
	for _, l := range v.named[id] {
		// A core tool claims its id and aliases. A tool of another layer that uses one of
		// these names as its id or alias is ignored.
		claimed := !l.Core() && slices.ContainsFunc(l.Names(), func(name string) bool { return slices.ContainsFunc(v.named[name], core) })
		if v.sees(l) && l.Subject.ID == id && !claimed {
			stack = append(stack, l)
		}
	}
	if len(stack) == 0 {
		return Entry{}, false
	}
	return newEntry(stack), true
}

// byName returns the tool that has name as its id or as an alias.
func (v layers) byName(name string) (Entry, bool) {
	own, ok := v.byID(name)
	if ok && own.Active() {
		return own, true
	}
	claims := v.entries(v.named[name], func(e Entry) bool { return e.Subject.ID != name && slices.Contains(e.Names(), name) })
	slices.SortFunc(claims, func(a, b Entry) int {
		return cmp.Or(trueFirst(a.Active(), b.Active()), ByStrength(a.Live, b.Live), cmp.Compare(a.Subject.ID, b.Subject.ID))
	})
	if len(claims) > 0 && (claims[0].Active() || !ok) {
		return claims[0], true
	}
	return own, ok
}

// entries returns the visible entries for the ids in matches, one for each id. It omits
// entries for which keep returns false.
func (v layers) entries(matches []Live, keep func(Entry) bool) []Entry {
	var entries []Entry
	seen := map[string]bool{}
	for _, l := range matches {
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

// Merged is a Catalog in memory that can also list the active tools and agents of its merged
// layers.
type Merged struct {
	Layered
	tools  []Entry
	agents []Entry
}

// Merge merges the live definitions of several layers. The definition of an id in the
// highest layer is visible and hides the definitions in lower layers. If the visible
// definition is deactivated, the merged layers do not contain the id. Definitions that use
// the id or an alias of a core tool are ignored.
func Merge(lives []Live) *Merged {
	all := layers{memoryFinder: newMemory(lives)}
	m := &Merged{Layered: Layered{Finder: all.memoryFinder}}
	for id := range lists.Set(ofKind(lives, KindTool), func(l Live) string { return l.Subject.ID }) {
		if e, ok := all.byID(id); ok && e.Active() {
			m.tools = append(m.tools, e)
		}
	}
	m.agents = slices.DeleteFunc(Visible(ofKind(lives, KindAgent), nil), func(e Entry) bool { return !e.Active() })
	slices.SortFunc(m.tools, inOrder)
	return m
}

// Visible returns the visible definition of each id in the layers of view (nil means all
// layers), whether or not it is active. The definition in the strongest layer is visible.
// Use Visible for kinds that are found by id alone, such as agents and allow-lists.
func Visible(lives []Live, view []Layer) []Entry {
	stacks := map[string][]Live{}
	for _, l := range lives {
		if view == nil || slices.Contains(view, l.Subject.Layer) {
			stacks[l.Subject.ID] = append(stacks[l.Subject.ID], l)
		}
	}
	entries := make([]Entry, 0, len(stacks))
	for _, stack := range stacks {
		entries = append(entries, newEntry(stack))
	}
	slices.SortFunc(entries, inOrder)
	return entries
}

// newEntry merges the definitions in stack, which have the same id. The strongest
// definition hides the rest.
func newEntry(stack []Live) Entry {
	slices.SortFunc(stack, ByStrength)
	e := Entry{Live: stack[0]}
	for _, l := range stack[1:] {
		e.Hides = append(e.Hides, l.Subject)
	}
	return e
}

func ofKind(lives []Live, kind Kind) []Live {
	return slices.DeleteFunc(slices.Clone(lives), func(l Live) bool { return l.Subject.Kind != kind })
}

// Tools returns the active tools, core tools first. Core tools and other tools are each sorted by id.
func (m *Merged) Tools() []Entry { return slices.Clone(m.tools) }

// Agents returns the active agents, sorted by id.
func (m *Merged) Agents() []Entry { return slices.Clone(m.agents) }

// memoryFinder is a Finder for definitions in memory.
type memoryFinder struct {
	named      map[string][]Live
	categories map[string][]Live
	lists      []Live
}

func newMemory(lives []Live) *memoryFinder {
	m := &memoryFinder{named: map[string][]Live{}, categories: map[string][]Live{}, lists: ofKind(lives, KindList)}
	for _, l := range lives {
		t := l.Definition.Tool
		if l.Subject.Kind != KindTool || t == nil {
			continue
		}
		for i, name := range l.Names() {
			if i == 0 || name != l.Subject.ID {
				m.named[name] = append(m.named[name], l)
			}
		}
		m.categories[t.Category] = append(m.categories[t.Category], l)
	}
	return m
}

func (m *memoryFinder) ByName(_ context.Context, names ...string) ([]Live, error) {
	var found []Live
	known := map[Subject]bool{}
	for _, name := range names {
		for _, l := range m.named[name] {
			if !known[l.Subject] {
				known[l.Subject] = true
				found = append(found, l)
			}
		}
	}
	return found, nil
}

func (m *memoryFinder) InCategory(_ context.Context, category string) ([]Live, error) {
	return m.categories[category], nil
}

// OfKind implements Finder. It ignores view and the limit and returns all matches.
func (m *memoryFinder) OfKind(_ context.Context, kind ToolKind, _ []Layer, _ int) ([]Live, error) {
	var found []Live
	for name, lives := range m.named {
		own := slices.DeleteFunc(slices.Clone(lives), func(l Live) bool { return l.Subject.ID != name })
		if slices.ContainsFunc(own, func(l Live) bool { return l.Core() || l.Definition.Tool.Kind == kind }) {
			found = append(found, own...)
		}
	}
	return found, nil
}

func (m *memoryFinder) Lists(context.Context) ([]Live, error) { return m.lists, nil }

// candidate is a tool that an allow-list mentions. Its fields record how the allow-list
// mentions the tool.
type candidate struct {
	name     string // name in the list
	entry    Entry
	known    bool
	listed   bool
	nonLocal bool // in AddWhenNonLocal
	embedded bool // in AddWhenEmbeddingOK
	category string
	kind     ToolKind // the kind in Kinds that admits the tool, or ""
	tier     bool     // passes the tier filter
	excluded bool     // in ExcludeInLocal
}

// choose decides whether the agent has the candidate in the given context.
func (c *candidate) choose(in Context) Choice {
	choice := Choice{Name: c.name, Entry: c.entry}
	if !c.known {
		choice.Reason = OutUnknown
		return choice
	}
	tool := c.entry.Definition.Tool
	where := cmp.Or(tool.Availability, &Availability{})
	var way Reason // why the candidate is in, or "" if nothing admits it in this context
	var detail string
	switch {
	case c.listed:
		way = InListed
	case c.nonLocal && !in.Local:
		way = InNonLocal
	case c.embedded && in.Embedding:
		way = InEmbedding
	case c.category != "" && c.tier:
		way, detail = InCategory, c.category
	case c.kind != "":
		way, detail = InKind, string(c.kind)
	}
	switch {
	case !c.entry.Active():
		choice.Reason = OutDeactivated
	case tool.Kind == ServerText:
		choice.Reason = OutServerText
	case way == "" && c.category != "":
		choice.Reason, choice.Detail = OutTier, c.category
	case way == "" && c.nonLocal:
		choice.Reason = OutOnlyNonLocal
	case way == "":
		choice.Reason = OutOnlyEmbedding
	case c.excluded && in.Local:
		choice.Reason = OutExcluded
	case where.LocalOnly && !in.Local:
		choice.Reason = OutLocalOnly
	case where.NonLocalOnly && in.Local:
		choice.Reason = OutNonLocalOnly
	case where.NeedsEmbedding && !in.Embedding:
		choice.Reason = OutNeedsEmbedding
	case tool.DeferLoading && !in.IncludeDeferred:
		choice.Reason = OutDeferred
	default:
		choice.In, choice.Reason, choice.Detail = true, way, detail
	}
	return choice
}
