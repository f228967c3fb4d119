// This file writes tools in the formats of other programs and checks the limits of hosts.

package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/schemaguard"
)

// SelfName is the server name that toolcrib writes into a list of tools in MCP format. Clients call the tools in this
// list by their ids.
const SelfName = "toolcrib"

// Listed is a tool to encode. Raw is the JSON from which the tool was imported. It is nil if the tool was not imported
// from the output format.
type Listed struct {
	Tool registry.Tool
	Raw  []byte
	// CreatedAt and UpdatedAt are RFC 3339 times. Only v0 files contain them.
	CreatedAt, UpdatedAt string
}

// Encode encodes tools in format f, which must not be Toolcrib. A tool that was imported from the same format is
// written unchanged if its definition still means the same. The result omitted describes everything that the format
// cannot represent.
func Encode(f Format, tools []Listed) (data []byte, omitted []string, err error) {
	list, kind := jsondoc.NewArray(), registry.ActionTool
	if f == V0 {
		kind = registry.PromptTool
	}
	var misfits []registry.Tool
	for _, l := range tools {
		if l.Tool.Kind != kind {
			misfits = append(misfits, l.Tool)
			continue
		}
		n, lost := l.node(f)
		if len(lost) > 0 {
			omitted = append(omitted, fmt.Sprintf("%s: %s", l.Tool.ID, strings.Join(lost, ", ")))
		}
		list.Items = append(list.Items, n)
	}
	omitted = append(omitted, hostProblem(misfits)...)
	switch f {
	case V0:
		return jsondoc.Indent(object("prompts", list)), omitted, nil
	case MCP:
		return jsondoc.Indent(object("serverInfo", object("name", jsondoc.NewString(SelfName)), "tools", list)), omitted, nil
	case OpenAI, Anthropic:
		return jsondoc.Indent(list), omitted, nil
	case MCPText, Toolcrib, Names:
	}
	return nil, nil, fmt.Errorf("%w: unknown output format %q", ErrFormat, f)
}

// Limits of hosts for a single request. The limits for names are in package registry.
const (
	maxOpenAITools       = 128
	maxOpenAIDescription = 1024 // characters
)

// HostLimits returns a line for each limit of the hosts of format f that the tools exceed. Limits exist for the number
// of tools and for the length of descriptions.
func HostLimits(f Format, tools []Listed) []string {
	if f != OpenAI {
		return nil
	}
	var lines, long []string
	n := 0
	for _, l := range tools {
		if l.Tool.Kind != registry.ActionTool {
			continue
		}
		n++
		if chars := utf8.RuneCountInString(l.Tool.Description); chars > maxOpenAIDescription {
			long = append(long, fmt.Sprintf("%s (%d)", l.Tool.ID, chars))
		}
	}
	if n > maxOpenAITools {
		lines = append(lines, fmt.Sprintf("%d tools; a request can contain at most %d; export the tools of one agent with --agent, or defer some tools", n, maxOpenAITools))
	}
	if len(long) > 0 {
		lines = append(lines, fmt.Sprintf("%d descriptions of more than %d characters: %s", len(long), maxOpenAIDescription, strings.Join(long, ", ")))
	}
	return lines
}

// hostProblem describes tools that the output format cannot represent. It returns one line for each kind of tool, with
// the number of the tools and the first few ids.
func hostProblem(tools []registry.Tool) (lines []string) {
	for _, kind := range []registry.ToolKind{registry.PromptTool, registry.ActionTool, registry.ServerText} {
		var ids []string
		for _, t := range tools {
			if t.Kind == kind {
				ids = append(ids, t.ID)
			}
		}
		named := strings.Join(ids[:min(len(ids), 5)], ", ")
		if len(ids) > 5 {
			named += ", …"
		}
		if len(ids) > 0 {
			lines = append(lines, fmt.Sprintf("%d %s tools: %s", len(ids), kind, named))
		}
	}
	return lines
}

// node encodes the tool with its wire name. It also returns the keys that format f cannot represent.
func (l Listed) node(f Format) (n *jsondoc.Node, lost []string) {
	kept, err := ReadItem(f, l.Raw)
	had := err == nil && len(l.Raw) > 0 && f != MCP // in MCP format, the name depends on the server
	switch {
	case f == V0:
		return l.prompt(kept, had)
	case had:
		if !same(kept.ApplyTo(l.Tool), l.Tool) {
			l.describe(kept.body(), f)
		}
		kept.body().Set("name", jsondoc.NewString(l.Tool.WireName()))
		return kept.node, nil
	}
	n = jsondoc.NewObject(jsondoc.Member{Key: "name", Value: jsondoc.NewString(l.Tool.WireName())})
	l.describe(n, f)
	if f == OpenAI {
		return object("type", jsondoc.NewString("function"), "function", n), nil
	}
	return n, nil
}

// describe sets the members of n, a function tool in format f, except its name.
func (l Listed) describe(n *jsondoc.Node, f Format) {
	t := l.Tool
	if f == MCP {
		n.Set("title", jsondoc.NewString(t.Name))
	}
	n.Set("description", jsondoc.NewString(t.Description))
	n.Set(schemaKey(f), parsed(t.InputSchema))
	if f != MCP {
		return
	}
	if len(t.OutputSchema) > 0 {
		n.Set("outputSchema", parsed(t.OutputSchema))
	}
	hints := jsondoc.NewObject()
	for _, key := range hintKeys() {
		if v := *hintField(cmp.Or(t.Annotations, &registry.Annotations{}), key); v != nil {
			hints.Set(key, jsondoc.NewBool(*v))
		}
	}
	if len(hints.Members) > 0 {
		n.Set("annotations", hints)
	}
}

// prompt encodes a prompt tool. If ok is true, original is the prompt from which the tool was imported. The
// result then contains the unknown keys of original at their positions, and the id of original, unless the id of the
// tool contains the name of a server.
func (l Listed) prompt(original Item, ok bool) (n *jsondoc.Node, lost []string) {
	p, lost := registry.NewV0Prompt(l.Tool, l.CreatedAt, l.UpdatedAt)
	p.ID = l.Tool.WireName()
	if !ok {
		return p.Node(), lost
	}
	if id := registry.ImportedID("", original.Name); id == l.Tool.ID || registry.DistinctID("", original.Name) == l.Tool.ID {
		p.ID = original.Name
	}
	if same(original.ApplyTo(l.Tool), l.Tool) {
		original.node.Set("id", jsondoc.NewString(p.ID))
		return original.node, nil
	}
	for _, m := range p.Node().Members {
		if m.Key != "createdAt" || original.node.Get("createdAt") == nil {
			original.node.Set(m.Key, m.Value)
		}
	}
	return original.node, lost
}

func schemaKey(f Format) string {
	return cmp.Or(map[Format]string{OpenAI: "parameters", Anthropic: "input_schema"}[f], "inputSchema")
}

// same reports whether two tools have the same definition.
func same(a, b registry.Tool) bool {
	return bytes.Equal(registry.Definition{Tool: &a}.Canonical(), registry.Definition{Tool: &b}.Canonical())
}

// object returns a JSON object with the given keys and values, which alternate.
func object(pairs ...any) *jsondoc.Node {
	n := jsondoc.NewObject()
	for i := 0; i < len(pairs); i += 2 {
		n.Set(pairs[i].(string), pairs[i+1].(*jsondoc.Node))
	}
	return n
}

// parsed parses a JSON value of a definition. The value must be valid.
func parsed(raw []byte) *jsondoc.Node {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("wire: JSON of a decoded definition does not parse: %v", err))
	}
	return n
}

// headerKey is the schema key for the name of an HTTP header. The client copies the argument into this header of its
// requests (SEP-2243, modelcontextprotocol.io/seps/2243-http-standardization).
const headerKey = "x-mcp-header"

// headers checks the header names in a schema. According to the protocol, clients must not offer a tool if a header
// name is not a token of RFC 9110 or occurs twice, ignoring case. In addition, each parameter with a header must be a
// string, an integer, or a boolean, and must be nested only in properties.
type headers struct {
	seen  map[string]string // path of the parameter for each header name in lower case
	found jsondoc.Problems
}

// schema checks n and its subschemas. The argument reached reports whether n is nested only in properties.
func (h *headers) schema(n *jsondoc.Node, path string, reached bool) {
	if n == nil || h.found.Full() {
		return
	}
	if name := n.Get(headerKey); name != nil {
		if fault := h.fault(n, name, path, reached); fault != "" {
			h.found.Append(jsondoc.Problem{Path: jsondoc.Join(path, headerKey), Pos: name.Pos, Message: fault + "; clients must not offer the tool (SEP-2243)"})
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
	case strings.Trim(name.Text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~") != "": // RFC 9110, section 5.6.2
		return jsondoc.Quote(name.Text) + " is not a header name"
	case again:
		return jsondoc.Quote(name.Text) + " is already the header of " + first
	case !slices.Contains([]string{"string", "integer", "boolean"}, n.Get("type").AsString()):
		return "only strings, integers, and booleans can be sent in a header"
	case !reached:
		return "the parameter must be nested only in properties"
	}
	h.seen[key] = path
	return ""
}

// ParamHeaders returns the HTTP headers that repeat arguments of a call, keyed by header name. The argument raw is the
// JSON of the MCP tool, and args is the JSON of the arguments. The result contains the arguments that are present and
// have a header in the schema. The values are not encoded.
func ParamHeaders(raw, args []byte) map[string]string {
	tool, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return nil
	}
	given, err := jsondoc.Parse(args, jsondoc.DefaultLimits)
	if err != nil {
		return nil // args can also be empty
	}
	headers := map[string]string{}
	mirror(tool.Get("inputSchema"), given, headers)
	return headers
}

// mirror adds the headers for the properties of schema, including nested properties. The contents of the headers come
// from values.
func mirror(schema, values *jsondoc.Node, headers map[string]string) {
	properties := schema.Get("properties")
	if properties == nil || values == nil || values.Kind != jsondoc.Object {
		return
	}
	for _, m := range properties.Members {
		value := values.Get(m.Key)
		if value == nil {
			continue
		}
		switch name := m.Value.Get(headerKey).AsString(); {
		case name == "":
			mirror(m.Value, value, headers)
		case value.Kind == jsondoc.String:
			headers["Mcp-Param-"+name] = value.Text
		case value.Kind == jsondoc.Number, value.Kind == jsondoc.Bool:
			headers["Mcp-Param-"+name] = string(jsondoc.Canonical(value))
		}
	}
}
