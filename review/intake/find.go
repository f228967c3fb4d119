package intake

import (
	"slices"

	"toolcrib/registry"
	"toolcrib/registry/wire"
)

func (p *planner) index(all []registry.Live) {
	view := p.origin.Layer.View()
	p.byID, p.byRef, p.byWire = map[registry.Kind]map[string]registry.Live{}, map[string]registry.Live{}, map[string]registry.Live{}
	for _, kind := range registry.SubjectKinds() {
		p.byID[kind] = map[string]registry.Live{}
	}
	for _, l := range all {
		if !slices.Contains(view, l.Subject.Layer) {
			continue
		}
		p.all = append(p.all, l)
		seen := p.byID[l.Subject.Kind]
		if other, ok := seen[l.Subject.ID]; !ok || !other.Core() && (l.Core() || l.Subject.Layer.Rank() > other.Subject.Layer.Rank()) {
			seen[l.Subject.ID] = l
		}
		if t := l.Definition.Tool; t != nil {
			p.byWire[t.WireName()] = seen[l.Subject.ID]
		}
		if t := l.Definition.Tool; t != nil && t.Source != nil && t.Source.Type == p.format.SourceType() {
			if other, ok := p.byRef[t.Source.Ref]; !ok || l.Subject.Layer.Rank() > other.Subject.Layer.Rank() {
				p.byRef[t.Source.Ref] = l
			}
		}
	}
}

// ids finds the ids that more than one name makes.
func (p *planner) ids(items []wire.Item) {
	p.clash = map[string]bool{}
	first := map[string]bool{}
	for _, it := range items {
		id := registry.ImportedID(p.origin.server(), it.Name)
		p.clash[id] = p.clash[id] || first[id]
		first[id] = true
	}
}

// newID returns the id of a tool that is not live yet.
func (p *planner) newID(it wire.Item) string {
	id := registry.ImportedID(p.origin.server(), it.Name)
	if _, taken := p.byID[registry.KindTool][id]; taken || p.clash[id] {
		return registry.DistinctID(p.origin.server(), it.Name)
	}
	return id
}

// find returns the live tool that an item is about: the one that came from
// there under that name, or where no server is named the one of that id or wire
// name, as an export writes it.
func (p *planner) find(it wire.Item) (l registry.Live, pinned, ok bool) {
	if l, ok := p.byRef[p.origin.ref(it.Name)]; ok {
		return l, true, true
	}
	if p.origin.Server {
		return registry.Live{}, false, false
	}
	tools := p.byID[registry.KindTool]
	if l, ok := tools[it.Name]; ok {
		return l, false, true
	}
	l, ok = p.byWire[it.Name]
	return l, false, ok
}
