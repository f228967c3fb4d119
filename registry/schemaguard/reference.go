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

// graph is a schema as the subschemas that it consists of and how they lead
// to each other.
type graph struct {
	root     *vertex
	vertices []*vertex
	byNode   map[*jsondoc.Node]*vertex
	anchors  map[string]*vertex
	members  map[*jsondoc.Node]map[string]*jsondoc.Node // of large objects
	strays   int                                        // reference targets that no keyword holds
	patterns map[string]error                           // why each regular expression is refused or cannot be run

	problems jsondoc.Problems // reasons to refuse the schema
	remarks  jsondoc.Problems // oddities
	unrun    jsondoc.Problems // regular expressions that cannot be run
	matches  bool             // there are regular expressions
}

// vertex is one subschema; it is the same one wherever it is referred to.
type vertex struct {
	node  *jsondoc.Node
	place vertexPlace
	edges []edge
	ref   *jsondoc.Node // that "$ref" leads to
	refs  int           // references that lead here

	listed int  // values in "enum" and "const"
	unique bool // "uniqueItems"

	component  int // number of the strongly connected component
	index, low int // for finding the components
	inPlace    int // subschemas applied to one value; 0 is not known yet
	expanded   int // subschemas after expansion; 0 is not known yet
}

// vertexPlace is where a subschema stands: in another one, or at a path. Paths are
// long and rarely wanted, so they are made then.
type vertexPlace struct {
	parent *vertex
	held   Subschema // by parent
	path   string    // without a parent
}

// path returns where the subschema stands.
func (v *vertex) path() string {
	if v.place.parent == nil {
		return v.place.path
	}
	return v.place.held.Path(v.place.parent.path())
}

// edge leads from a subschema to one that it applies.
type edge struct {
	to        *vertex
	scope     Scope
	key       string // of Member
	index     int    // of ElementAt
	reference bool
}

// newGraph reads the schema n, which has at most MaxDepth levels.
func newGraph(n *jsondoc.Node) *graph {
	g := &graph{
		byNode:   map[*jsondoc.Node]*vertex{},
		anchors:  map[string]*vertex{},
		members:  map[*jsondoc.Node]map[string]*jsondoc.Node{},
		patterns: map[string]error{},
	}
	g.root = g.add(n, vertexPlace{path: jsondoc.Root})
	// References can make subschemas of values that no keyword holds, and those can
	// hold references and anchors again.
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
			g.refuse(r.spot(), "has no target: %s", jsondoc.Quote(r.target))
		}
	}
	return g
}

// add makes a subschema of n, once. It returns nil when there are too many.
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

// connect adds the subschemas that v holds and returns its references.
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

// spot is a place in the schema: below a subschema, by the given keys.
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

// maxRefusals limits the reported problems: one is enough to refuse a schema, and
// the paths of a hostile one are long.
const maxRefusals = 20

func (g *graph) refuse(s spot, format string, args ...any) {
	if len(g.problems) < maxRefusals {
		g.problems.Add(s.path(), format, args...)
	}
}

func (g *graph) remark(s spot, message string) {
	if !g.remarks.Full() {
		g.remarks.Add(s.path(), "%s", message)
	}
}
