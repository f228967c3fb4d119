package jsondoc

// Locate fills in the positions that are not known yet from the document that
// the problems are about. A path that the document lacks takes the position of
// the nearest value around it.
func (ps Problems) Locate(doc *Node) Problems {
	if doc == nil {
		return ps
	}
	for i := range ps {
		if ps[i].Pos == (Pos{}) {
			around, _, _ := doc.Lead(ps[i].Path)
			ps[i].Pos = around.Pos
		}
	}
	return ps
}

// Lead follows a path as far as it leads and returns the value reached, with its
// key; key is nil for the document itself and for the elements of a list. whole
// reports that the path led all the way.
func (n *Node) Lead(path string) (at *Node, key *Member, whole bool) {
	rest := trimRoot(path)
	at = n
	for at != nil && rest != "" {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return at, key, false
		}
		next := s.from(at)
		if next == nil {
			return at, key, false
		}
		key = nil
		for i := range at.Members {
			if at.Members[i].Value == next {
				key = &at.Members[i]
			}
		}
		at, rest = next, after
	}
	return at, key, true
}

// Enclosing returns the innermost object that path leads into, which is the value at
// path when that is an object, and the document itself when there is none.
func (n *Node) Enclosing(path string) *Node {
	rest, around := trimRoot(path), n
	for at := n; rest != ""; {
		s, after, ok := cutStep(rest, len(rest) == len(path))
		if !ok {
			return around
		}
		if at = s.from(at); at == nil {
			return around
		}
		if at.Kind == Object {
			around = at
		}
		rest = after
	}
	return around
}
