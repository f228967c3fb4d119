package mdfile

import "toolcrib/registry/jsondoc"

// step is a place in a document, written as a path only when it is asked for:
// long keys in front of many values would make the paths of all of them cost
// more than the document. The nil step is the root.
type step struct {
	parent *step
	key    string
	index  int // of a list item, -1 for a member
	level  int
}

func (s *step) member(key string) *step {
	return &step{parent: s, key: key, index: -1, level: s.depth() + 1}
}

func (s *step) item(i int) *step {
	return &step{parent: s, index: i, level: s.depth() + 1}
}

// depth is the number of steps from the root.
func (s *step) depth() int {
	if s == nil {
		return 0
	}
	return s.level
}

func (s *step) path() string {
	switch {
	case s == nil:
		return jsondoc.Root
	case s.index >= 0:
		return jsondoc.Index(s.parent.path(), s.index)
	}
	return jsondoc.Join(s.parent.path(), s.key)
}
