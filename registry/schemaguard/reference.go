package schemaguard

import (
	"net/url"
	"strconv"
	"strings"

	"toolcrib/registry/jsondoc"
)

// reference is a "$ref" or one of its kin.
type reference struct {
	from    *vertex
	keyword string
	target  string
}

func (r reference) spot() spot { return at(r.from, r.keyword) }

// maxStrays limits how many references may lead to places that no keyword makes a
// schema of: the validator prepares the whole document again for each.
const maxStrays = 100

// refer adds the edge of r. It reports false when its target is not known (yet). A
// reference out of the document is refused.
func (g *graph) refer(r reference) bool {
	fragment, ok := strings.CutPrefix(r.target, "#")
	if !ok {
		g.refuse(r.spot(), `leads out of the document: %s; only references that begin with "#" are followed`, jsondoc.Quote(r.target))
		return true
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		g.refuse(r.spot(), "is not a reference: %s", jsondoc.Quote(r.target))
		return true
	}
	to := g.anchors[fragment]
	if fragment == "" || fragment[0] == '/' {
		to = g.pointer(fragment)
	}
	if to == nil {
		return len(g.problems) > 0
	}
	if r.keyword == "$ref" {
		r.from.ref = to.node
	}
	to.refs++
	r.from.edges = append(r.from.edges, edge{to: to, scope: Here, reference: true})
	return true
}

// Target returns the schema that the "$ref" of the subschema n leads to; nil when n
// has none.
func (c Checked) Target(n *jsondoc.Node) *jsondoc.Node {
	if v := c.graph.byNode[n]; v != nil {
		return v.ref
	}
	return nil
}

// pointer follows a JSON pointer (RFC 6901) and returns the subschema there,
// made one if it was none; nil when nothing is there.
func (g *graph) pointer(pointer string) *vertex {
	n, path := g.root.node, jsondoc.Root
	_, rest, more := strings.Cut(pointer, "/")
	for more {
		var token string
		token, rest, more = strings.Cut(rest, "/")
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch n.Kind {
		case jsondoc.Object:
			n, path = lookup(g.members, n, token), jsondoc.Join(path, token)
		case jsondoc.Array:
			i, err := strconv.Atoi(token)
			if err != nil || strconv.Itoa(i) != token || i < 0 || i >= len(n.Items) {
				return nil
			}
			n, path = n.Items[i], jsondoc.Index(path, i)
		default:
			return nil
		}
		if n == nil {
			return nil
		}
	}
	if n.Kind != jsondoc.Object && n.Kind != jsondoc.Bool {
		return nil
	}
	if g.byNode[n] == nil {
		if g.strays++; g.strays > maxStrays {
			g.refuse(at(g.root), "has more than %d references to values that are not subschemas", maxStrays)
			return nil
		}
	}
	return g.add(n, vertexPlace{path: path})
}

// lookup returns the value of key in n, without looking through a large object
// every time.
func lookup(index map[*jsondoc.Node]map[string]*jsondoc.Node, n *jsondoc.Node, key string) *jsondoc.Node {
	if len(n.Members) < 16 {
		return n.Get(key)
	}
	if index[n] == nil {
		index[n] = make(map[string]*jsondoc.Node, len(n.Members))
		for _, m := range n.Members {
			index[n][m.Key] = m.Value
		}
	}
	return index[n][key]
}

// identify takes in what names v. An "$id" would make references relative to
// it mean another place than the one that is looked at here; only the root may
// have one, where it changes nothing.
func (g *graph) identify(v *vertex) {
	keys := []string{"$id"}
	if draft4(g.root.node) {
		keys = []string{"id"}
	}
	for _, key := range keys {
		n := v.node.Get(key)
		switch {
		case n == nil || n.Kind != jsondoc.String:
		case strings.HasPrefix(n.Text, "#"): // an anchor, before 2019-09
			g.anchor(v, key, n.Text[1:])
		case v != g.root:
			g.refuse(at(v, key), "gives a subschema its own identity; only the root can have one")
		default:
			g.remark(at(v, key), "the schema's own identity is not used")
		}
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if n := v.node.Get(key); n != nil && n.Kind == jsondoc.String {
			g.anchor(v, key, n.Text)
		}
	}
}

func (g *graph) anchor(v *vertex, key, name string) {
	if other := g.anchors[name]; other != nil && other != v {
		g.refuse(at(v, key), "also names %s", other.path())
		return
	}
	g.anchors[name] = v
}
