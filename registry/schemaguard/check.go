package schemaguard

import (
	"encoding/json"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

// Limits of schemas.
const (
	MaxBytes      = 256 << 10
	MaxDepth      = 64    // levels of nested lists and objects
	MaxSubschemas = 5_000 // in the text, applied to one value, and after expansion
	MaxPattern    = 1_000 // characters of one regular expression
)

// Checked is a schema that is safe to pass to a validator. It may still be invalid.
type Checked struct {
	Root *jsondoc.Node
	// Remarks lists oddities that are accepted, such as a schema that accepts
	// everything.
	Remarks jsondoc.Problems
	// Unrun lists regular expressions that toolcrib cannot run. Validate refuses
	// values that one of them would have to match.
	Unrun jsondoc.Problems
	// Open lists the references whose target is not in the schema. A value that one of
	// them would have to judge is refused by Validate.
	Open  jsondoc.Problems
	graph *graph
}

// Check parses a schema and refuses it if it is not safe to work with. The error is
// a jsondoc.Problems with paths and positions in the schema.
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

// count refuses schemas that are too large or whose evaluation does not end.
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

// dialects are the supported values of $schema.
var dialects = [...]string{
	"json-schema.org/draft-04/schema",
	"json-schema.org/draft-06/schema",
	"json-schema.org/draft-07/schema",
	"json-schema.org/draft/2019-09/schema",
	"json-schema.org/draft/2020-12/schema",
}

// dialect returns the dialect of the schema n, or "" if it is missing or unknown.
func dialect(n *jsondoc.Node) string {
	named := n.Get("$schema")
	if named == nil || named.Kind != jsondoc.String {
		return ""
	}
	address := strings.TrimSuffix(named.Text, "#")
	_, address, _ = strings.Cut(address, "://")
	if !slices.Contains(dialects[:], address) {
		return ""
	}
	return address
}

func draft4(root *jsondoc.Node) bool { return dialect(root) == dialects[0] }

// remarkOnRoot adds remarks about schemas that accept nearly everything.
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
		g.remark(at(g.root), "has no type; arguments of tools are objects")
	}
}

// MaxWork limits the estimated number of steps to validate one value. Applying a
// subschema to a value is one step; other work counts in proportion.
const MaxWork = 1_000_000

// work estimates the maximum number of steps to validate n, and stops at MaxWork+1.
// Counting takes one step for each pair of subschema and value, while validating
// takes one for every time that the pair is evaluated: a recursive schema can
// double these at every level of the value.
func (s *Schema) work(n *jsondoc.Node) int {
	m := meter{
		memo:    map[pair]int{},
		names:   map[*jsondoc.Node][]*jsondoc.Node{},
		members: map[*jsondoc.Node]map[string]*jsondoc.Node{},
	}
	return m.count(s.graph.root, n)
}

type pair struct {
	v *vertex
	n *jsondoc.Node
}

type meter struct {
	memo    map[pair]int
	names   map[*jsondoc.Node][]*jsondoc.Node          // names of the members of an object, as string nodes
	members map[*jsondoc.Node]map[string]*jsondoc.Node // index of large objects
	spent   int                                        // steps of counting itself
}

// count returns the number of steps to apply v to n.
func (m *meter) count(v *vertex, n *jsondoc.Node) int {
	if m.spent > MaxWork {
		return MaxWork + 1
	}
	// Only schemas with references to them can be applied to the same value again.
	if v.refs > 0 {
		if known, ok := m.memo[pair{v, n}]; ok {
			return known
		}
	}
	own := v.ownWork(n)
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

// follow returns the number of steps to apply the target of e to all values in n to
// which it applies.
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
		values = m.namesOf(n)
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

// namesOf returns the names of n's members as string nodes.
func (m *meter) namesOf(n *jsondoc.Node) []*jsondoc.Node {
	if m.names[n] == nil {
		for _, member := range n.Members {
			m.names[n] = append(m.names[n], jsondoc.NewString(member.Key))
		}
	}
	return m.names[n]
}

// ownWork returns the number of steps of v itself with n.
func (v *vertex) ownWork(n *jsondoc.Node) int {
	sum := 1 + len(n.Text)/1_000
	sum += v.listed
	if v.unique && n.Kind == jsondoc.Array {
		sum += 10 * size(n) // up to 20 elements are compared pairwise
	}
	return sum + len(n.Members) + len(n.Items)
}

// size returns the number of values in n.
func size(n *jsondoc.Node) int {
	sum := 0
	n.Walk(func(*jsondoc.Node, func() string) bool {
		sum++
		return true
	})
	return sum
}

// The limits are checked by counting on the graph, once for each subschema, with
// saturating numbers: a schema that would take 2^40 steps to expand is refused
// after a few additions.

// add returns a+b, limited to MaxSubschemas+1.
func add(a, b int) int { return min(a+b, MaxSubschemas+1) }

// inPlace returns the number of subschemas that are applied to the same value as v.
// A schema that applies itself to the same value never ends; it is reported and
// counts as one.
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

// expand returns the number of subschemas after every reference in v is replaced by
// its target. A recursive reference counts as one. The components must be known.
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

// findComponents numbers the strongly connected components with Tarjan's algorithm
// (SIAM Journal on Computing 1, 1972): subschemas that reach each other are in the
// same component. The depth of the recursion is limited by the number of
// subschemas.
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
