// This file builds the graph of subschemas and references.

package schemaguard

import (
	"net/url"
	"strconv"
	"strings"

	"toolcrib/registry/jsondoc"
)

// reference is a "$ref", "$dynamicRef" or "$recursiveRef".
type reference struct {
	from    *vertex
	keyword string
	target  string
}

func (r reference) spot() spot { return at(r.from, r.keyword) }

// maxStrays limits the number of references to values that are not under a keyword
// for schemas: the validator prepares the whole document again for each.
const maxStrays = 100

// refer adds the edge of r. It returns false if the target is not known yet. It
// refuses references to other documents.
func (g *graph) refer(r reference) bool {
	fragment, ok := strings.CutPrefix(r.target, "#")
	if !ok && (strings.HasPrefix(r.target, "https:") || strings.HasPrefix(r.target, "http:")) {
		g.leave(r, "refers to another document: %s; nothing is loaded from there", jsondoc.Quote(r.target))
		return true
	}
	if !ok {
		g.refuse(r.spot(), `refers to another document: %s; only references that begin with "#" are supported`, jsondoc.Quote(r.target))
		return true
	}
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		g.refuse(r.spot(), "invalid reference: %s", jsondoc.Quote(r.target))
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

// Target returns the schema to which the "$ref" of the subschema n refers, or nil.
func (c Checked) Target(n *jsondoc.Node) *jsondoc.Node {
	if v := c.graph.byNode[n]; v != nil {
		return v.ref
	}
	return nil
}

// pointer follows a JSON pointer (RFC 6901) and returns the subschema there. It
// turns other objects into subschemas, and returns nil if the pointer has no
// target.
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

// lookup returns the value of key in n. It indexes large objects.
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

// identify records the names of v. An "$id" in a subschema is refused, because it
// changes the base of relative references; in the root it has no effect.
func (g *graph) identify(v *vertex) {
	keys := []string{"$id"}
	if draft4(g.root.node) {
		keys = []string{"id"}
	}
	for _, key := range keys {
		n := v.node.Get(key)
		switch {
		case n == nil || n.Kind != jsondoc.String:
		case strings.HasPrefix(n.Text, "#"): // an anchor in drafts before 2019-09
			g.anchor(v, key, n.Text[1:])
		case v != g.root:
			g.refuse(at(v, key), "gives a subschema its own identity, which only the root can have")
		default:
			g.remark(at(v, key), "the identity of the schema is ignored")
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
		g.refuse(at(v, key), "duplicates the anchor of %s", other.path())
		return
	}
	g.anchors[name] = v
}

// graph is a schema as a graph of subschemas and their edges.
type graph struct {
	root     *vertex
	vertices []*vertex
	byNode   map[*jsondoc.Node]*vertex
	anchors  map[string]*vertex
	members  map[*jsondoc.Node]map[string]*jsondoc.Node // index of large objects
	strays   int                                        // targets of references that are not under a keyword
	patterns map[string]error                           // problem of each regular expression, or nil

	problems jsondoc.Problems // reasons to refuse the schema
	remarks  jsondoc.Problems // oddities
	unrun    jsondoc.Problems // regular expressions that cannot be run
	open     jsondoc.Problems // references without a known target
	matches  bool             // the schema has regular expressions
}

// vertex is one subschema, shared by all references to it.
type vertex struct {
	node  *jsondoc.Node
	place vertexPlace
	edges []edge
	ref   *jsondoc.Node // target of "$ref"
	refs  int           // number of references to it

	listed int  // values in "enum" and "const"
	unique bool // "uniqueItems"
	open   bool // it has a reference without a known target

	component  int // number of its strongly connected component
	index, low int // see findComponents
	inPlace    int // see graph.inPlace; 0 means unknown
	expanded   int // see graph.expand; 0 means unknown
}

// vertexPlace is the location of a subschema: inside another one, or at a path.
// Paths are long and seldom needed, so they are computed on request.
type vertexPlace struct {
	parent *vertex
	held   Subschema // in parent
	path   string    // if there is no parent
}

// path returns the path of the subschema.
func (v *vertex) path() string {
	if v.place.parent == nil {
		return v.place.path
	}
	return v.place.held.Path(v.place.parent.path())
}

// edge connects a subschema with one that it applies.
type edge struct {
	to        *vertex
	scope     Scope
	key       string // for Member
	index     int    // for ElementAt
	reference bool
}

// newGraph builds the graph of the schema n, which has at most MaxDepth levels.
func newGraph(n *jsondoc.Node) *graph {
	g := &graph{
		byNode:   map[*jsondoc.Node]*vertex{},
		anchors:  map[string]*vertex{},
		members:  map[*jsondoc.Node]map[string]*jsondoc.Node{},
		patterns: map[string]error{},
	}
	g.root = g.add(n, vertexPlace{path: jsondoc.Root})
	// References can turn other values into subschemas, which can in turn contain
	// references and anchors.
	var pending []reference
	for done := 0; done < len(g.vertices) && len(g.problems) == 0; {
		for ; done < len(g.vertices) && len(g.problems) == 0; done++ {
			pending = append(pending, g.connect(g.vertices[done])...)
		}
		if len(g.problems) > 0 {
			break
		}
		rest := pending[:0]
		for _, r := range pending {
			if !g.refer(r) {
				rest = append(rest, r)
			}
		}
		pending = rest
	}
	if len(g.problems) == 0 {
		for _, r := range pending {
			g.leave(r, "has no target: %s", jsondoc.Quote(r.target))
		}
	}
	return g
}

// add adds n as a subschema, once. It returns nil if there are too many.
func (g *graph) add(n *jsondoc.Node, place vertexPlace) *vertex {
	if v := g.byNode[n]; v != nil {
		return v
	}
	if len(g.vertices) >= MaxSubschemas {
		if len(g.problems) == 0 {
			g.refuse(at(g.root), "has more than %d subschemas", MaxSubschemas)
		}
		return nil
	}
	v := &vertex{node: n, place: place}
	g.vertices = append(g.vertices, v)
	g.byNode[n] = v
	return v
}

// connect adds the subschemas of v and returns its references.
func (g *graph) connect(v *vertex) []reference {
	var refs []reference
	for _, m := range v.node.Members {
		for _, s := range Subschemas(m) {
			if to := g.add(s.Node, vertexPlace{parent: v, held: s}); to != nil {
				v.edges = append(v.edges, edge{to: to, scope: s.Scope, key: s.Key, index: s.Index})
			}
		}
	}
	for _, key := range references {
		if n := v.node.Get(key); n != nil && n.Kind == jsondoc.String {
			refs = append(refs, reference{from: v, keyword: key, target: n.Text})
		}
	}
	g.identify(v)
	g.checkPatterns(v)
	for _, key := range []string{"enum", "const"} {
		if n := v.node.Get(key); n != nil {
			v.listed += size(n)
		}
	}
	unique := v.node.Get("uniqueItems")
	v.unique = unique != nil && unique.Text == "true"
	return refs
}

// spot is a location in the schema: the keys below a subschema.
type spot struct {
	v    *vertex
	keys []string
}

func at(v *vertex, keys ...string) spot { return spot{v, keys} }

func (s spot) path() string {
	path := s.v.path()
	for _, key := range s.keys {
		path = jsondoc.Join(path, key)
	}
	return path
}

// maxRefusals limits the number of reported problems: one is enough to refuse a
// schema, and the paths of hostile schemas are long.
const maxRefusals = 20

func (g *graph) refuse(s spot, format string, args ...any) {
	if len(g.problems) < maxRefusals {
		g.problems.Add(s.path(), format, args...)
	}
}

// leave accepts a reference whose target nobody knows: no value fits the subschema.
func (g *graph) leave(r reference, format string, args ...any) {
	r.from.open = true
	if len(g.open) == maxRefusals {
		g.refuse(at(g.root), "has more than %d references without a target", maxRefusals)
		return
	}
	g.open.Add(r.spot().path(), format, args...)
}

func (g *graph) remark(s spot, message string) {
	if !g.remarks.Full() {
		g.remarks.Add(s.path(), "%s", message)
	}
}
