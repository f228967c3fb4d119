package schemaguard

import (
	"strconv"

	"toolcrib/registry/jsondoc"
)

// maxNumber is the longest number in characters.
const maxNumber = 100

// plainNumber reports whether a number is one that a program would mean: short
// and in the range of a double. The validator computes exactly, and some
// thousand numbers of ten thousand digits each would keep it busy.
func plainNumber(literal string) bool {
	if len(literal) > maxNumber {
		return false
	}
	_, err := strconv.ParseFloat(literal, 64)
	return err == nil
}

// checkNumbers refuses the first number that is not plain.
func (g *graph) checkNumbers() {
	if path := oddNumber(g.root.node); path != "" {
		g.problems.Add(path, "the number is out of range")
	}
}

// oddNumber returns the path of the first number in n that is not plain, ""
// when there is none.
func oddNumber(n *jsondoc.Node) (found string) {
	n.Walk(func(v *jsondoc.Node, path func() string) bool {
		if v.Kind == jsondoc.Number && !plainNumber(v.Text) {
			found = path()
		}
		return found == ""
	})
	return found
}
