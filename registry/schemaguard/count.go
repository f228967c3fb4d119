package schemaguard

// Counting is done on the graph, each subschema once, in numbers that stop at one
// more than the limit: a schema that would take 2^40 steps to expand takes a few
// additions to refuse.

// add returns a+b, at most MaxSubschemas+1.
func add(a, b int) int { return min(a+b, MaxSubschemas+1) }

// inPlace returns how many subschemas are applied to one and the same value
// when v is applied to it. A schema that applies itself to the value it was
// applied to never ends: it is reported, and counts as one.
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

// expand returns how many subschemas v becomes when every reference is replaced by
// its target. A reference to a schema around it, as every recursive type has,
// counts as one. The components must be known.
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

// findComponents numbers the strongly connected components by Tarjan's
// algorithm (SIAM Journal on Computing 1, 1972): subschemas that lead to each
// other are in the same one. The recursion is as deep as there are subschemas.
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
