// This file represents schemas as graphs. It uses the graphs to count subschemas, and
// rejects schemas that are too large or that recurse without end.

package schemaguard

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry/jsondoc"
)

// Limits of a schema.
const (
	MaxBytes      = 256 << 10
	MaxDepth      = 64    // levels of nested lists and objects
	MaxSubschemas = 5_000 // limit for the whole schema, for one value, and after references are expanded
	MaxPattern    = 1_000 // characters of one regular expression
)

// Checked is a schema that is safe to pass to a validator. It can still be an invalid JSON
// Schema.
type Checked struct {
	Root *jsondoc.Node
	// Remarks lists properties of the schema that are accepted but unusual. For example,
	// it reports a schema that accepts every value.
	Remarks jsondoc.Problems
	// Unrun lists the regular expressions that toolcrib cannot run. Validate rejects a
	// value if it would have to match one of these expressions.
	Unrun jsondoc.Problems
	// Open lists the references to targets that the schema does not contain. Validate
	// rejects a value to which such a reference applies.
	Open  jsondoc.Problems
	graph *graph
}

// Check parses a schema and rejects it if it is not safe to evaluate. The error is a
// jsondoc.Problems with the path and the position of each problem.
func Check(schema json.RawMessage) (Checked, error) {
	n, err := jsondoc.Parse(schema, jsondoc.Limits{Bytes: MaxBytes, Depth: MaxDepth})
	if err != nil {
		return Checked{}, err
	}
	if n.Kind != jsondoc.Object && n.Kind != jsondoc.Bool {
		return Checked{}, jsondoc.Problems{{Path: jsondoc.Root, Pos: n.Pos, Message: "expected a schema: an object, true or false; got " + n.Kind.String()}}
	}
	g := newGraph(n)
	if len(g.problems) == 0 {
		g.count()
	}
	if path := oddNumber(n); len(g.problems) == 0 && path != "" {
		g.problems.Add(path, "the number is out of range")
	}
	if len(g.problems) > 0 {
		return Checked{}, g.problems.Locate(n)
	}
	g.remarkOnRoot()
	return Checked{Root: n, Remarks: g.remarks.Locate(n), Unrun: g.unrun.Locate(n), Open: g.open.Locate(n), graph: g}, nil
}

// count adds a problem if the schema is too large, or if its evaluation would not end.
func (g *graph) count() {
	for _, v := range g.vertices {
		if g.inPlace(v) > MaxSubschemas {
			g.refuse(at(v), "applies more than %d subschemas to one value", MaxSubschemas)
			return
		}
	}
	if len(g.problems) > 0 {
		return
	}
	g.findComponents()
	for _, v := range g.vertices {
		if g.expand(v) > MaxSubschemas {
			g.refuse(at(v), "has more than %d subschemas after expansion", MaxSubschemas)
			return
		}
	}
}

// dialects are the supported values of "$schema", without the scheme.
var dialects = [...]string{
	"json-schema.org/draft-04/schema",
	"json-schema.org/draft-06/schema",
	"json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema",
	"json-schema.org/draft/2020-12/schema",
}

// dialect returns the element of dialects that is equal to the value of "$schema" in n,
// ignoring the scheme. It returns "" if there is no such element.
func dialect(n *jsondoc.Node) string {
	_, address, _ := strings.Cut(strings.TrimSuffix(n.Get("$schema").AsString(), "#"), "://")
	if !slices.Contains(dialects[:], address) {
		return ""
	}
	return address
}

// remarkOnRoot adds remarks about an unknown dialect and about a root that accepts nearly
// every value.
func (g *graph) remarkOnRoot() {
	n := g.root.node
	if n.Kind != jsondoc.Object {
		return
	}
	named := n.Get("$schema")
	if named != nil && dialect(n) == "" {
		g.remark(at(g.root, "$schema"), "unknown dialect; assuming 2020-12")
	}
	says := len(n.Members)
	if named != nil {
		says--
	}
	switch {
	case says == 0:
		g.remark(at(g.root), "accepts every value")
	case n.Get("type") == nil:
		g.remark(at(g.root), `has no type; set "type" to "object", because tool arguments are objects`)
	}
}

// MaxWork is the maximum estimated number of steps to validate a value. Applying a
// subschema to a value is a single step; other work counts as a number of steps in
// proportion to its cost.
const MaxWork = 1_000_000

type pair struct {
	v *vertex
	n *jsondoc.Node
}

// meter estimates the maximum number of steps to validate a value. It stops at MaxWork+1.
// The validator can evaluate the same pair of a subschema and a value many times. In a
// recursive schema, the number of evaluations can double at every level of the value. The
// meter counts each pair once and reuses the count.
type meter struct {
	memo    map[pair]int
	names   map[*jsondoc.Node][]*jsondoc.Node          // names of the members of an object, as string nodes
	members map[*jsondoc.Node]map[string]*jsondoc.Node // index of large objects
	spent   int                                        // steps of the meter itself
}

// count returns the estimated number of steps to apply v to n.
func (m *meter) count(v *vertex, n *jsondoc.Node) int {
	if m.spent > MaxWork {
		return MaxWork + 1
	}
	// Only a schema that has references to it can be applied to the same value again.
	if v.refs > 0 {
		if known, ok := m.memo[pair{v, n}]; ok {
			return known
		}
	}
	own := 1 + len(n.Text)/1_000 + v.listed + len(n.Members) + len(n.Items) // steps of v without its subschemas
	if v.unique && n.Kind == jsondoc.Array {
		own += 10 * size(n) // the validator compares up to 20 elements pairwise
	}
	m.spent += own
	sum := own
	for i := 0; i < len(v.edges) && sum <= MaxWork; i++ {
		sum += m.follow(v.edges[i], n)
	}
	sum = min(sum, MaxWork+1)
	if v.refs > 0 {
		m.memo[pair{v, n}] = sum
	}
	return sum
}

// follow returns the estimated number of steps to apply the target of e to all values in n
// that e selects.
func (m *meter) follow(e edge, n *jsondoc.Node) int {
	var values []*jsondoc.Node
	switch e.scope {
	case Here:
		return m.count(e.to, n)
	case Nowhere:
		return 0
	case Member:
		if v := lookup(m.members, n, e.key); v != nil {
			return m.count(e.to, v)
		}
		return 0
	case ElementAt:
		if e.index < len(n.Items) {
			return m.count(e.to, n.Items[e.index])
		}
		return 0
	case Elements:
		values = n.Items
	case Names:
		if m.names[n] == nil {
			m.names[n] = lists.Map(n.Members, func(member jsondoc.Member) *jsondoc.Node { return jsondoc.NewString(member.Key) })
		}
		values = m.names[n]
	case Members:
		sum := 0
		for i := 0; i < len(n.Members) && sum <= MaxWork; i++ {
			sum += m.count(e.to, n.Members[i].Value)
		}
		return sum
	}
	sum := 0
	for i := 0; i < len(values) && sum <= MaxWork; i++ {
		sum += m.count(e.to, values[i])
	}
	return sum
}

// size returns the number of values in the tree n, including n.
func size(n *jsondoc.Node) int {
	sum := 0
	n.Walk(func(*jsondoc.Node, func() string) bool {
		sum++
		return true
	})
	return sum
}

// The following functions compute each number once for each subschema. The numbers
// saturate at MaxSubschemas+1, so a schema that would expand to 2^40 subschemas is
// rejected after a few additions.

// add returns a+b, limited to MaxSubschemas+1.
func add(a, b int) int { return min(a+b, MaxSubschemas+1) }

// inPlace returns the number of subschemas that are applied to the same value as v,
// including v. A schema that applies itself to the same value never ends. Such a schema is
// reported and counts as one.
func (g *graph) inPlace(v *vertex) int {
	const running = -1
	if v.inPlace == running {
		g.refuse(at(v), "refers to itself without descending into the value")
		return 1
	}
	if v.inPlace == 0 {
		v.inPlace = running
		sum := 1
		for _, e := range v.edges {
			if e.scope == Here {
				sum = add(sum, g.inPlace(e.to))
			}
		}
		v.inPlace = sum
	}
	return v.inPlace
}

// expand returns the number of subschemas in v after every reference is replaced by its
// target. A recursive reference counts as one. findComponents must have been called.
func (g *graph) expand(v *vertex) int {
	if v.expanded == 0 {
		sum := 1
		for _, e := range v.edges {
			switch {
			case e.scope == Nowhere:
			case e.reference && e.to.component == v.component:
				sum = add(sum, 1)
			default:
				sum = add(sum, g.expand(e.to))
			}
		}
		v.expanded = sum
	}
	return v.expanded
}

// findComponents numbers the strongly connected components with Tarjan's algorithm (SIAM
// Journal on Computing 1, 1972). Subschemas that can reach each other are in the same
// component. The depth of the recursion is at most the number of subschemas.
func (g *graph) findComponents() {
	next, component := 1, 1
	var stack []*vertex
	var visit func(v *vertex)
	visit = func(v *vertex) {
		v.index, v.low = next, next
		next++
		stack = append(stack, v)
		for _, e := range v.edges {
			switch {
			case e.to.index == 0:
				visit(e.to)
				v.low = min(v.low, e.to.low)
			case e.to.component == 0: // still on the stack
				v.low = min(v.low, e.to.index)
			}
		}
		if v.low != v.index {
			return
		}
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			top.component = component
			if top == v {
				break
			}
		}
		component++
	}
	for _, v := range g.vertices {
		if v.index == 0 {
			visit(v)
		}
	}
}

// reference is a "$ref", "$dynamicRef" or "$recursiveRef".
type reference struct {
	from    *vertex
	keyword string
	target  string
}

func (r reference) spot() spot { return at(r.from, r.keyword) }

// maxStrays limits the number of reference targets that are not the value of a schema
// keyword. The validator prepares the whole document again for each such target.
const maxStrays = 100

// refer adds the edge of r to the graph. It rejects references to other documents. It
// returns false if the target is not known yet.
func (g *graph) refer(r reference) bool {
	fragment, ok := strings.CutPrefix(r.target, "#")
	if !ok && (strings.HasPrefix(r.target, "https:") || strings.HasPrefix(r.target, "http:")) {
		g.leave(r, "refers to another document, which is not loaded: %s", jsondoc.Quote(r.target))
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

// Target returns the target of the "$ref" in the subschema n. It returns nil if n has no
// "$ref" or if the target is unknown.
func (c Checked) Target(n *jsondoc.Node) *jsondoc.Node {
	if v := c.graph.byNode[n]; v != nil {
		return v.ref
	}
	return nil
}

// pointer resolves a JSON pointer (RFC 6901) and returns its target. If the target is not
// a subschema yet, pointer adds it to the graph. It returns nil if the target does not
// exist or cannot be a schema.
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

// lookup returns the value of key in n. It uses index to find the members of large
// objects.
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

// identify records the anchors of v. It rejects an "$id" in a subschema, because that
// would change the base of relative references. In the root, an "$id" has no effect.
func (g *graph) identify(v *vertex) {
	key := "$id"
	if dialect(g.root.node) == dialects[0] {
		key = "id"
	}
	switch n := v.node.Get(key); {
	case n == nil || n.Kind != jsondoc.String:
	case strings.HasPrefix(n.Text, "#"): // an anchor in drafts before 2019-09
		g.anchor(v, key, n.Text[1:])
	case v != g.root:
		g.refuse(at(v, key), "sets the identity of a subschema; only the root schema can have an identity")
	default:
		g.remark(at(v, key), "the identity of the schema is ignored")
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

// graph represents a schema by its subschemas and the edges between them.
type graph struct {
	root     *vertex
	vertices []*vertex
	byNode   map[*jsondoc.Node]*vertex
	anchors  map[string]*vertex
	members  map[*jsondoc.Node]map[string]*jsondoc.Node // index of large objects
	strays   int                                        // number of reference targets that are not the value of a schema keyword
	patterns map[string]error                           // problem of each regular expression, or nil

	problems jsondoc.Problems // reasons to reject the schema
	remarks  jsondoc.Problems // accepted but unusual properties of the schema
	unrun    jsondoc.Problems // regular expressions that cannot be run
	open     jsondoc.Problems // references without a known target
	matches  bool             // whether the schema has regular expressions
}

// vertex is a subschema. All references to the subschema lead to one vertex.
type vertex struct {
	node  *jsondoc.Node
	place vertexPlace
	edges []edge
	ref   *jsondoc.Node // target of "$ref"
	refs  int           // number of references to the subschema

	listed int  // values in "enum" and "const"
	unique bool // "uniqueItems"
	open   bool // whether the subschema has a reference without a known target

	component  int // number of its strongly connected component
	index, low int // see findComponents
	inPlace    int // see graph.inPlace; 0 means unknown
	expanded   int // see graph.expand; 0 means unknown
}

// vertexPlace is the location of a subschema, either relative to a parent or as a path.
// Paths are long and seldom needed, so they are computed only on request.
type vertexPlace struct {
	parent *vertex
	held   Subschema // location in parent
	path   string    // path if there is no parent
}

// path returns the path of the subschema.
func (v *vertex) path() string {
	if v.place.parent == nil {
		return v.place.path
	}
	return v.place.held.Path(v.place.parent.path())
}

// edge connects a subschema with a subschema that it applies.
type edge struct {
	to        *vertex
	scope     Scope
	key       string // for Member
	index     int    // for ElementAt
	reference bool
}

// newGraph returns the graph of the schema n, which has at most MaxDepth levels.
func newGraph(n *jsondoc.Node) *graph {
	g := &graph{
		byNode:   map[*jsondoc.Node]*vertex{},
		anchors:  map[string]*vertex{},
		members:  map[*jsondoc.Node]map[string]*jsondoc.Node{},
		patterns: map[string]error{},
	}
	g.root = g.add(n, vertexPlace{path: jsondoc.Root})
	// A reference can turn a value into a subschema. That subschema can contain further
	// references and anchors.
	var pending []reference
	for done := 0; done < len(g.vertices) && len(g.problems) == 0; {
		for ; done < len(g.vertices) && len(g.problems) == 0; done++ {
			pending = append(pending, g.connect(g.vertices[done])...)
		}
		if len(g.problems) > 0 {
			break
		}
		pending = slices.DeleteFunc(pending, g.refer)
	}
	if len(g.problems) == 0 {
		for _, r := range pending {
			g.leave(r, "refers to a missing subschema: %s", jsondoc.Quote(r.target))
		}
	}
	return g
}

// add returns the vertex of n. It adds a vertex if n has none, and returns nil if the
// graph would exceed MaxSubschemas.
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

// connect adds the subschemas of v to the graph and returns the references in v.
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
	if n := v.node.Get("pattern"); n != nil && n.Kind == jsondoc.String {
		g.checkPattern(n.Text, at(v, "pattern"))
	}
	if byPattern := v.node.Get("patternProperties"); byPattern != nil {
		for _, m := range byPattern.Members {
			g.checkPattern(m.Key, at(v, "patternProperties", m.Key))
		}
	}
	for _, key := range []string{"enum", "const"} {
		if n := v.node.Get(key); n != nil {
			v.listed += size(n)
		}
	}
	unique := v.node.Get("uniqueItems")
	v.unique = unique != nil && unique.Text == "true"
	return refs
}

// spot is a location in the schema: a subschema and the keys below it.
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

// maxRefusals is the maximum number of reported problems. One problem is enough to reject
// a schema, and the paths in hostile schemas are long.
const maxRefusals = 20

func (g *graph) refuse(s spot, format string, args ...any) {
	if len(g.problems) < maxRefusals {
		g.problems.Add(s.path(), format, args...)
	}
}

// leave accepts a reference that has no known target. The subschema that contains the
// reference then matches no value.
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
