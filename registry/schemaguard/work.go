package schemaguard

import "toolcrib/registry/jsondoc"

// MaxWork limits how many steps validating one value may take, counted from above:
// applying a subschema to a value is a step, and so is other work of that length.
const MaxWork = 1_000_000

// stepsPerTick sets how many steps of a regular expression take as long as one
// step of validation.
const stepsPerTick = 32

// work returns how many steps validating n takes at most, or more than MaxWork.
// Counting takes a step for each pair of a subschema and a value in it, while
// validating takes one for each time that the pair meets: a recursive schema
// can double those at every level of the value.
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
	names   map[*jsondoc.Node][]*jsondoc.Node          // of an object, as strings
	members map[*jsondoc.Node]map[string]*jsondoc.Node // of large objects
	spent   int                                        // on counting itself
}

// count returns the steps of applying v to n.
func (m *meter) count(v *vertex, n *jsondoc.Node) int {
	if m.spent > MaxWork {
		return MaxWork + 1
	}
	// Only referenced schemas can meet the same value again.
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

// follow returns the steps of applying what e leads to, to whatever it is
// applied to in n.
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

// namesOf returns the names of n's members as values.
func (m *meter) namesOf(n *jsondoc.Node) []*jsondoc.Node {
	if m.names[n] == nil {
		for _, member := range n.Members {
			m.names[n] = append(m.names[n], jsondoc.NewString(member.Key))
		}
	}
	return m.names[n]
}

// ownWork returns the steps that v takes with n itself.
func (v *vertex) ownWork(n *jsondoc.Node) int {
	sum := 1 + len(n.Text)/1_000
	if v.pattern != nil && n.Kind == jsondoc.String {
		sum += len(n.Text) * v.pattern.size / stepsPerTick
	}
	for _, p := range v.patterns {
		for _, m := range n.Members {
			sum += 1 + len(m.Key)*p.size/stepsPerTick
		}
	}
	sum += v.listed
	if v.unique && n.Kind == jsondoc.Array {
		sum += 10 * size(n) // up to 20 elements are compared with each other
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
