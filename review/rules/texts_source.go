package rules

import (
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/wire"
)

// source adds every string of the JSON that a tool was imported from which its
// definition does not repeat: the pin covers it, and hosts may show it to a
// model.
func (t *texts) source(tool *registry.Tool, raw []byte) {
	if tool == nil || len(raw) == 0 {
		return
	}
	rest := wire.Unread(*tool, raw)
	if rest == nil {
		return
	}
	t.sourceNode(rest, "", "")
}

// sourceNode adds the strings in n, which stands under key.
func (t *texts) sourceNode(n *jsondoc.Node, path, key string) {
	switch n.Kind {
	case jsondoc.String:
		t.add(wire.SourcePath+path, n.Text, sourceKind(key, n.Text))
	case jsondoc.Array:
		for i, item := range n.Items {
			t.sourceNode(item, jsondoc.Index(path, i), key)
		}
	case jsondoc.Object:
		for _, m := range n.Members {
			below := jsondoc.Join(path, m.Key)
			t.add(wire.SourcePath+below, m.Key, Identifier)
			t.sourceNode(m.Value, below, m.Key)
		}
	case jsondoc.Null, jsondoc.Bool, jsondoc.Number:
	}
}

// sourceKind guesses the kind of a string from its key and its form: servers may
// use any keys.
func sourceKind(key, s string) TextKind {
	if kind, known := textKinds[key]; known {
		return kind
	}
	if strings.ContainsAny(s, " \n") {
		return Prose
	}
	return Value
}
