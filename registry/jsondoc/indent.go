package jsondoc

// Indent returns n for people and for files kept in version control: two
// spaces a level, members in their order, numbers as they were written, text
// escaped only where JSON demands it, a line break at the end.
func Indent(n *Node) []byte {
	return append(appendIndented(nil, n, "\n"), '\n')
}

// appendIndented writes n; newline is a line break and the white space of the
// level that n stands on.
func appendIndented(b []byte, n *Node, newline string) []byte {
	inside := newline + "  "
	switch {
	case n.Kind == Number:
		return append(b, n.Text...)
	case n.Kind == Array && len(n.Items) > 0:
		b = append(b, '[')
		for i, item := range n.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inside...)
			b = appendIndented(b, item, inside)
		}
		b = append(b, newline...)
		return append(b, ']')
	case n.Kind == Object && len(n.Members) > 0:
		b = append(b, '{')
		for i, m := range n.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, inside...)
			b = appendString(b, m.Key)
			b = append(b, ": "...)
			b = appendIndented(b, m.Value, inside)
		}
		b = append(b, newline...)
		return append(b, '}')
	}
	return appendCanonical(b, n)
}
