package diff

import (
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// Content is a definition with the JSON that it was imported from, nil when it
// was not imported.
type Content struct {
	Definition registry.Definition
	Source     []byte
	// Beside is a JSON object with a revision's rationale, examples and test cases;
	// nil for a definition that is not a proposal's.
	Beside []byte
}

// BesideHeading stands over the fields that are not a part of the definition.
const BesideHeading = "Not part of the definition"

// Contents compares two contents: their definitions field by field, and behind
// them, with paths that begin with wire.SourcePath, the parts of the imported JSON
// beyond the definitions. An approval pins all of it, so all of it is compared. Of
// two revisions it compares last the fields beside the definitions.
func Contents(before, after Content) []Field {
	fields := append(Definitions(before.Definition, after.Definition), sources(before, after)...)
	if before.Beside == nil || after.Beside == nil {
		return fields
	}
	var w walk
	w.parts(way{}, parsed(before.Beside), parsed(after.Beside))
	for i := range w.fields {
		w.fields[i].Beside = true
	}
	return append(fields, w.fields...)
}

func sources(before, after Content) []Field {
	if string(before.Source) == string(after.Source) {
		return nil
	}
	var w walk
	w.parts(way{}, before.unread(), after.unread())
	for i := range w.fields {
		w.fields[i].Path = wire.SourcePath + w.fields[i].Path
	}
	return w.fields
}

// unread returns what the source says beyond the definition, nil for nothing.
func (c Content) unread() *jsondoc.Node {
	t := c.Definition.Tool
	if len(c.Source) == 0 || t == nil || t.Source == nil {
		return nil
	}
	return wire.Unread(*t, c.Source)
}

// parts compares two objects, of which either may be nil, key by key: those in
// them are looked into whether or not both sides have them.
func (w *walk) parts(p way, before, after *jsondoc.Node) {
	b, a := membersOf(before), membersOf(after)
	for _, key := range (*shape)(nil).order(b, a) {
		x, y := b.get(key), a.get(key)
		if open(x) && open(y) {
			w.parts(p.key(key), x, y)
			continue
		}
		w.value(p.key(key), x, y, nil)
	}
}

// open reports whether n can be looked into, as an object with members can and
// nothing at all.
func open(n *jsondoc.Node) bool {
	return n == nil || n.Kind == jsondoc.Object && len(n.Members) > 0
}
