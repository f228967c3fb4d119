package wire

import (
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// headerKey marks a parameter that a client mirrors into a header of its
// requests (SEP-2243, modelcontextprotocol.io/seps/2243-http-standardization).
const headerKey = "x-mcp-header"

// paramHeaders returns the problems of the headers that a schema names for its
// parameters. The protocol has a client exclude a tool with any of these: a name
// that is not a token of RFC 9110, one that occurs twice in any case of its letters,
// and a parameter that is not a string, integer or boolean, or that is not reached
// through properties alone.
func paramHeaders(schema *jsondoc.Node) jsondoc.Problems {
	h := headers{seen: map[string]string{}}
	h.schema(schema, "inputSchema", true)
	return h.found
}

type headers struct {
	seen  map[string]string // path of the parameter by header, in lower case
	found jsondoc.Problems
}

// schema checks a schema and those in it. reached reports that only properties
// lead to it.
func (h *headers) schema(n *jsondoc.Node, path string, reached bool) {
	if n == nil || h.found.Full() {
		return
	}
	if name := n.Get(headerKey); name != nil {
		if fault := h.fault(n, name, path, reached); fault != "" {
			h.found.Append(jsondoc.Problem{Path: jsondoc.Join(path, headerKey), Pos: name.Pos, Message: fault + "; the protocol excludes the tool (SEP-2243)"})
		}
	}
	for _, m := range n.Members {
		for _, s := range schemaguard.Subschemas(m) {
			h.schema(s.Node, s.Path(path), reached && s.Scope == schemaguard.Member)
		}
	}
}

func (h *headers) fault(n, name *jsondoc.Node, path string, reached bool) string {
	key := strings.ToLower(name.Text)
	switch first, again := h.seen[key]; {
	case name.Kind != jsondoc.String:
		return "expected the name of a header, got " + name.Kind.String()
	case name.Text == "":
		return "the name of the header is empty"
	case strings.ContainsFunc(name.Text, func(r rune) bool { return !isTokenRune(r) }):
		return jsondoc.Quote(name.Text) + " is not a header name"
	case again:
		return jsondoc.Quote(name.Text) + " is the header of " + first + " already"
	case !slices.Contains([]string{"string", "integer", "boolean"}, text(n.Get("type"))):
		return "only a string, an integer or a boolean can be sent in a header"
	case !reached:
		return "the parameter is not reached through properties alone"
	}
	h.seen[key] = path
	return ""
}

// isTokenRune reports whether r may stand in the name of a header (RFC 9110,
// section 5.6.2).
func isTokenRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
