package harness

import (
	"strings"
	"unicode"

	"toolcrib/registry/jsondoc"
)

// value counts the claims of a JSON value and of everything in it, and reports
// whether a receipt stands anywhere in it.
func (l *ledger) value(n *jsondoc.Node) (cites bool) {
	switch n.Kind { //nolint:exhaustive // the others say nothing
	case jsondoc.String:
		return l.receipts.in(n.Text) || l.receipts.verbatim(n.Text)
	case jsondoc.Object:
		return l.object(n)
	case jsondoc.Array:
		for _, item := range n.Items {
			found := l.value(item)
			cites = cites || found
			if item.Kind == jsondoc.String {
				l.enter(item.Text, found)
			}
		}
	}
	return cites
}

// object counts the strings of an object as one claim, after the claims of
// what else is in it.
func (l *ledger) object(n *jsondoc.Node) (cites bool) {
	cites = hasPlace(n)
	claim := ""
	for _, m := range n.Members {
		found := l.value(m.Value)
		cites = cites || found
		if m.Value.Kind == jsondoc.String && claim == "" && wordCount(m.Value.Text) >= minClaim {
			claim = m.Value.Text
		}
	}
	if claim != "" {
		l.enter(claim, cites)
	}
	return cites
}

// hasPlace reports whether an object says path and line in members of their
// own.
func hasPlace(n *jsondoc.Node) bool {
	var path, line bool
	for _, m := range n.Members {
		switch strings.ToLower(m.Key) {
		case "path", "file", "file_path", "filepath", "filename":
			path = path || m.Value.Kind == jsondoc.String && m.Value.Text != ""
		case "line", "lines", "start_line", "startline", "first_line":
			line = line || m.Value.Kind == jsondoc.Number || m.Value.Kind == jsondoc.Array ||
				m.Value.Kind == jsondoc.String && strings.ContainsFunc(m.Value.Text, unicode.IsDigit)
		}
	}
	return path && line
}
