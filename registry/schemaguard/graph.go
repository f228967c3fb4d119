package schemaguard

import "toolcrib/registry/jsondoc"

// graph is a schema as the subschemas that it consists of and how they lead
// to each other.
type graph struct {
	root     *vertex
	vertices []*vertex
	byNode   map[*jsondoc.Node]*vertex
	anchors  map[string]*vertex
	members  map[*jsondoc.Node]map[string]*jsondoc.Node // of large objects
	strays   int                                        // reference targets that no keyword holds
	programs map[string]program                         // regular expressions
	steps    int                                        // of all programs

	problems jsondoc.Problems // reasons to refuse the schema
	remarks  jsondoc.Problems // oddities
	unrun    jsondoc.Problems // regular expressions that nothing runs
	patient  bool             // there are some that RE2 does not run
}

// vertex is one subschema; it is the same one wherever it is referred to.
type vertex struct {
	node  *jsondoc.Node
	place vertexPlace
	edges []edge
	refs  int // references that lead here

	pattern  *program  // of "pattern"
	patterns []program // of "patternProperties"
	listed   int       // values in "enum" and "const"
	unique   bool      // "uniqueItems"

	component  int // number of the strongly connected component
	index, low int // for finding the components
	inPlace    int // subschemas applied to one value; 0 is not known yet
	expanded   int // subschemas after expansion; 0 is not known yet
}

// vertexPlace is where a subschema stands: under a keyword of another one, or
// at a path. Paths are long and rarely wanted, so they are made then.
type vertexPlace struct {
	parent  *vertex
	keyword string
	shape   shape
	key     string // for byName
	index   int    // for list
	path    string // without a parent
}

// path returns where the subschema stands.
func (v *vertex) path() string {
	p := v.place
	if p.parent == nil {
		return p.path
	}
	path := jsondoc.Join(p.parent.path(), p.keyword)
	switch p.shape {
	case byName:
		return jsondoc.Join(path, p.key)
	case list:
		return jsondoc.Index(path, p.index)
	case one:
	}
	return path
}

// edge leads from a subschema to one that it applies.
type edge struct {
	to        *vertex
	scope     scope
	key       string // of member
	index     int    // of elementAt
	reference bool
}

// newGraph reads the schema n, which has at most MaxDepth levels.
func newGraph(n *jsondoc.Node) *graph {
	g := &graph{
		byNode:   map[*jsondoc.Node]*vertex{},
		anchors:  map[string]*vertex{},
		members:  map[*jsondoc.Node]map[string]*jsondoc.Node{},
		programs: map[string]program{},
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
		if k, ok := keywords[m.Key]; ok {
			g.hold(v, m, k)
		}
	}
	for _, key := range references {
		if n := v.node.Get(key); n != nil && n.Kind == jsondoc.String {
			refs = append(refs, reference{from: v, keyword: key, target: n.Text})
		}
	}
	g.identify(v)
	g.collectPatterns(v)
	for _, key := range []string{"enum", "const"} {
		if n := v.node.Get(key); n != nil {
			v.listed += size(n)
		}
	}
	unique := v.node.Get("uniqueItems")
	v.unique = unique != nil && unique.Text == "true"
	return refs
}

// hold adds the subschemas that stand under one keyword. A value of the wrong
// shape holds none; the validator refuses it.
func (g *graph) hold(v *vertex, m jsondoc.Member, k keyword) {
	switch n := m.Value; {
	case n.Kind == jsondoc.Array && k.shape&list != 0:
		e := edge{scope: k.scope}
		if m.Key == "items" { // one schema for each place, before 2020-12
			e.scope = elementAt
		}
		for e.index = range n.Items {
			g.lead(v, n.Items[e.index], vertexPlace{parent: v, keyword: m.Key, shape: list, index: e.index}, e)
		}
	case n.Kind == jsondoc.Object && k.shape&byName != 0:
		for _, named := range n.Members {
			g.lead(v, named.Value, vertexPlace{parent: v, keyword: m.Key, shape: byName, key: named.Key}, edge{scope: k.scope, key: named.Key})
		}
	case k.shape&one != 0:
		g.lead(v, n, vertexPlace{parent: v, keyword: m.Key, shape: one}, edge{scope: k.scope})
	}
}

// lead adds an edge from v to the schema n, if n is a schema.
func (g *graph) lead(v *vertex, n *jsondoc.Node, place vertexPlace, e edge) {
	if n.Kind != jsondoc.Object && n.Kind != jsondoc.Bool {
		return
	}
	if e.to = g.add(n, place); e.to != nil {
		v.edges = append(v.edges, e)
	}
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
