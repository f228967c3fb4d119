package jsondoc

// Walk calls visit for n and every value inside it, the outer ones first and
// in the order of the text, until visit returns false. The path of a value is
// made only when path is called, and only during visit.
func (n *Node) Walk(visit func(n *Node, path func() string) bool) {
	w := walker{visit: visit}
	w.walk(n)
}

type walker struct {
	visit func(*Node, func() string) bool
	way   []step
}

// walk reports whether to go on.
func (w *walker) walk(n *Node) bool {
	if !w.visit(n, w.path) {
		return false
	}
	for i, item := range n.Items {
		if !w.inside(step{index: i, indexed: true}, item) {
			return false
		}
	}
	for _, m := range n.Members {
		if !w.inside(step{key: m.Key}, m.Value) {
			return false
		}
	}
	return true
}

func (w *walker) inside(s step, n *Node) bool {
	w.way = append(w.way, s)
	more := w.walk(n)
	w.way = w.way[:len(w.way)-1]
	return more
}

func (w *walker) path() string { return join(w.way) }
