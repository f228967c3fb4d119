// This file parses documents in all supported formats.

package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// ErrFormat indicates a document with an unknown or unsupported format.
var ErrFormat = errors.New("not a list of tools")

// Decode parses a document and detects its format. Entries of a tool list that are not valid JSON are skipped.
func Decode(data []byte) (Document, error) {
	n, err := jsondoc.Parse(data, jsondoc.DefaultLimits)
	if err == nil {
		return decode(n, data, nil)
	}
	for _, way := range listWays {
		if _, missing := entriesAt(data, way); missing != nil {
			continue
		}
		if n, _, odd, ok := ParseLenient(data, way...); ok {
			return decode(n, data, odd)
		}
		break
	}
	return Document{}, err
}

// DecodeNode is like Decode, but converts a parsed document of a stream. It also accepts a document that is a
// single tool. Positions refer to the stream. The raw JSON of the items is in canonical form.
func DecodeNode(n *jsondoc.Node) (Document, error) {
	doc, err := decode(n, jsondoc.Canonical(n), nil)
	if errors.Is(err, ErrFormat) && n.Kind == jsondoc.Object {
		list := jsondoc.NewArray(n)
		if doc, err = decode(list, jsondoc.Canonical(list), nil); err == nil {
			for i := range doc.Items {
				doc.Items[i].Path = ""
			}
		}
	}
	return doc, err
}

// decode converts the parsed document n. The argument odd contains, by index, the entries of the list that are not
// valid JSON.
func decode(n *jsondoc.Node, data []byte, odd map[int]Skipped) (Document, error) {
	doc := Document{Node: n}
	var err error
	if n.Get("kind").AsString() == exportKind {
		doc.Format = Toolcrib
		return doc, doc.readExport()
	}
	if of := OtherType(n); of != "" {
		return doc, fmt.Errorf("%w: it is %s", ErrFormat, of)
	}
	list, way := findList(n)
	if list == nil && strings.HasPrefix(n.Get("format").AsString(), "toolcrib bundle ") {
		return doc, fmt.Errorf("%w: it is a bundle; to verify it, run `toolcrib check --bundle`; to import the definitions, export them with another --format", ErrFormat)
	}
	if list == nil {
		return doc, fmt.Errorf(`%w: expected {"tools": […]} from an MCP server, an array of tools, {"prompts": […]}, or an export of toolcrib`, ErrFormat)
	}
	if doc.Format, err = formatOf(list, way); err != nil {
		return doc, err
	}
	doc.Server = doc.Node.Get("serverInfo").Get("name").AsString()
	if c := doc.Node.Get("clientCapabilities"); c != nil {
		doc.Capabilities = jsondoc.Canonical(c)
	}
	if unread := doc.Node.Get(unreadKey); unread != nil {
		for _, n := range unread.Items {
			doc.Skipped = append(doc.Skipped, Skipped{Name: n.Get("name").AsString(), Reason: n.Get("reason").AsString(), Detail: n.Get("detail").AsString()})
		}
	}
	if n.Get("protocolVersion") != nil { // a response of an MCP server, whatever the elements look like
		doc.Format = MCP
	}
	at, around := doc.Node, "" // the current object on the path to the list, and the path of this object
	for i := range way {
		for _, m := range at.Members {
			if m.Key != way[i] && (doc.Format == V0 || !slices.Contains(protocolKeys, m.Key)) {
				doc.NotKept = append(doc.NotKept, jsondoc.Join(around, m.Key))
			}
		}
		at, around = at.Get(way[i]), jsondoc.Join(around, way[i])
	}
	if err := doc.readItems(data, list, way, doc.Format, odd); err != nil || doc.Format != MCP {
		return doc, err
	}
	texts := n.Get(textsKey)
	if texts == nil || texts.Kind != jsondoc.Array {
		return doc, nil
	}
	doc.Texts = true
	return doc, doc.readItems(data, texts, []string{textsKey}, MCPText, nil)
}

// protocolKeys are the keys that can accompany a list of tools in a server's response, or in the document that
// ServerList.Document creates from the response.
var protocolKeys = []string{"jsonrpc", "id", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope", "serverInfo", "protocolVersion", "capabilities", "clientCapabilities", textsKey, unreadKey}

// otherTypes describes documents that users can mistake for lists of tools. Each type is recognized by one key.
var otherTypes = []struct{ key, words string }{
	{"mcpServers", "the list of MCP servers in a client's configuration; toolcrib init reads this configuration itself"},
	{"servers", "the list of MCP servers in a client's configuration; toolcrib init reads this configuration itself"},
	{"permissions", "the settings of a client"},
	{"hooks", "the settings of a client"},
	{"functionDeclarations", "a list of Gemini function declarations; import reads tools in the formats of MCP, OpenAI, and Anthropic"},
	{"function_declarations", "a list of Gemini function declarations; import reads tools in the formats of MCP, OpenAI, and Anthropic"},
	{"toolSpec", "a list of Bedrock tools; import reads tools in the formats of MCP, OpenAI, and Anthropic"},
	{"toolConfig", "a list of Bedrock tools; import reads tools in the formats of MCP, OpenAI, and Anthropic"},
	{"openapi", "an OpenAPI document"},
	{"$schema", "a JSON Schema"},
	{"messages", "a conversation; save each prompt in a .txt file"},
	{"prompt", "a prompt from another registry; save the text of the prompt in a .txt file"},
	{"plugins", "a marketplace of plugins; toolcrib init finds the plugins that a client uses"},
}

// OtherType returns a description of a JSON document that contains neither tools nor proposals. It returns "" for
// documents that contain tools and for documents of an unknown type.
func OtherType(n *jsondoc.Node) string {
	at := n
	if tools := n.Get("tools"); tools != nil && tools.Kind == jsondoc.Array {
		at = tools
	}
	if at.Kind == jsondoc.Array && len(at.Items) > 0 {
		at = at.Items[0]
	}
	for _, key := range []string{"inputSchema", "input_schema", "parameters", "function"} {
		if at.Get(key) != nil {
			return ""
		}
	}
	for _, of := range otherTypes {
		if at.Get(of.key) != nil {
			return of.words
		}
	}
	return ""
}

// textsKey is the key of the prompts and instructions of a server. It occurs next to the key of the server's tools.
const textsKey = "texts"

// listWays lists the paths at which a document can contain the list of tools. The first path that exists is used.
var listWays = [][]string{nil, {"tools"}, {"result", "tools"}, {"prompts"}, {"functions"}}

// findList returns the list of tools in n and its path.
func findList(n *jsondoc.Node) (list *jsondoc.Node, way []string) {
	for _, way := range listWays {
		at := n
		for _, key := range way {
			at = at.Get(key)
		}
		if at != nil && at.Kind == jsondoc.Array {
			return at, way
		}
	}
	return nil, nil
}

// formatOf returns the format of a list of tools. The format is determined by the first element with a recognizable
// format. A string is recognized as a name only if no element has another format. An empty list under the key "tools"
// has the format MCP.
func formatOf(list *jsondoc.Node, way []string) (Format, error) {
	if len(way) == 1 && way[0] == "prompts" {
		return V0, nil
	}
	var found Format
	for _, item := range list.Items {
		if f := itemFormat(item, way); f != "" && (found == "" || found == Names) {
			found = f
		}
	}
	switch {
	case found != "":
		return found, nil
	case len(way) > 0:
		return MCP, nil
	case slices.ContainsFunc(list.Items, func(item *jsondoc.Node) bool { return item.Kind == jsondoc.Object }):
		return OpenAI, nil // functions without parameters
	case len(list.Items) == 0:
		return "", fmt.Errorf("%w: cannot detect the format of an empty list", ErrFormat)
	}
	return "", fmt.Errorf("%w: element 1 is %s, not a tool", ErrFormat, list.Items[0].Kind)
}

// itemFormat returns the format of an element of a list, or "" if the element does not show its format.
func itemFormat(item *jsondoc.Node, way []string) Format {
	kind := item.Get("type").AsString()
	switch {
	case item.Kind == jsondoc.String:
		return Names
	case item.Kind != jsondoc.Object:
		return ""
	case item.Get("inputSchema") != nil:
		return MCP
	case item.Get("input_schema") != nil:
		return Anthropic
	case item.Get("function") != nil, kind == "function", item.Get("parameters") != nil, len(way) == 1 && way[0] == "functions":
		return OpenAI
	case kind != "" && strings.ContainsAny(kind, "0123456789"): // such as web_search_20250305
		return Anthropic
	case kind != "":
		return OpenAI
	case len(way) > 0:
		return MCP
	}
	return ""
}

// unreadKey is the key of the list entries that were not valid JSON. It occurs in the document that
// ServerList.Document creates.
const unreadKey = "unread"

// readItems reads the elements of a list. It skips elements that it cannot identify, and elements that have the same
// name as an earlier element.
func (d *Document) readItems(data []byte, list *jsondoc.Node, way []string, format Format, odd map[int]Skipped) error {
	at, err := entriesAt(data, way)
	if err != nil {
		return err
	}
	seen := map[string]Item{}
	for i, n := range list.Items {
		it := Item{Format: format, Pos: n.Pos, Path: jsondoc.Index(strings.Join(way, "."), i), Raw: data[at[i][0]:at[i][1]], node: n}
		it.Name = it.name()
		first, again := seen[it.Name]
		if again && d.Format != V0 && it.Hash() == first.Hash() {
			continue // the server sent the same tool twice, for example in two pages
		}
		skipped, unread := odd[i]
		if !unread {
			skipped = d.skips(it, way, again)
		}
		if skipped != (Skipped{}) {
			entry := it
			skipped.Entry = &entry
			d.Skipped = append(d.Skipped, skipped)
			continue
		}
		seen[it.Name] = it
		d.Items = append(d.Items, it)
	}
	return nil
}

// skips returns the reason to skip an element of a list, or the zero value if the element is a definition. The
// argument duplicate is true if an earlier element has the same name.
func (d *Document) skips(it Item, way []string, duplicate bool) Skipped {
	n := it.node
	of, kind := itemFormat(n, way), n.Get("type").AsString()
	switch {
	case d.Format == OpenAI && kind == "custom":
		return Skipped{Name: cmp.Or(n.Get("name").AsString(), n.Get("custom").Get("name").AsString()), Reason: "is a custom tool, which accepts free text and has no schema"}
	case kind != "" && (d.Format == OpenAI && kind != "function" || d.Format == Anthropic && kind != "custom"):
		return Skipped{Reason: jsondoc.Quote(kind) + " is built into the host and has no definition"}
	case d.Format == V0:
		why := ""
		switch {
		case n.Kind != jsondoc.Object:
			why = "expected a prompt, got " + n.Kind.String()
		case duplicate:
			why = "another prompt has the same id; change the id"
		case strings.TrimSpace(it.Name) == "":
			why = "it has neither an id nor a name"
		}
		if why != "" {
			return Skipped{Reason: fmt.Sprintf("%s (line %d): %s", it.Path, n.Pos.Line, why)}
		}
	case d.Format != Names && n.Kind != jsondoc.Object:
		return Skipped{Reason: fmt.Sprintf("%s is %s, not a tool", it.Path, n.Kind)}
	case it.Format != MCP && it.Format != MCPText && of != "" && of != it.Format:
		return Skipped{Name: it.Name, Reason: fmt.Sprintf("is in the format of %s, but the list is in the format of %s", of, it.Format)}
	case it.Name == "":
		return Skipped{Reason: it.Path + " has no name"}
	case duplicate:
		return Skipped{Name: it.Name, Reason: "is listed twice with different definitions, so the second definition is ignored"}
	}
	return Skipped{}
}

// exportKind is the value of the key "kind" in toolcrib's export document.
const exportKind = "export"

// readExport reads the tools, agents, lists, and files of an export. It ignores the hashes in the export, because they
// are computed from the definitions.
func (d *Document) readExport() error {
	var ps jsondoc.Problems
	for _, part := range []struct {
		key   string
		kinds []registry.Kind
	}{
		{"tools", []registry.Kind{registry.KindTool}},
		{"agents", []registry.Kind{registry.KindAgent}},
		{"lists", []registry.Kind{registry.KindList}},
		{"files", []registry.Kind{registry.KindSkill, registry.KindInstructions}},
	} {
		list := d.Node.Get(part.key)
		if list == nil {
			continue
		}
		for i, n := range list.Items {
			path := jsondoc.Index(part.key, i)
			written := n.Get("subject").AsString()
			subject, err := registry.ParseSubject(written)
			if err != nil || !slices.Contains(part.kinds, subject.Kind) {
				ps.Append(jsondoc.Problem{Path: jsondoc.Join(path, "subject"), Pos: n.Pos, Message: "expected a subject of the kind " + string(part.kinds[0]) + ", got " + jsondoc.Quote(written)})
				continue
			}
			body := n.Get("definition")
			if body == nil {
				ps.Append(jsondoc.Problem{Path: jsondoc.Join(path, "definition"), Pos: n.Pos, Message: "missing; expected the whole definition"})
				continue
			}
			definition, found := registry.BindDefinition(subject.Kind, body, jsondoc.Join(path, "definition"))
			ps.Append(found...)
			e := Entry{Subject: subject, Definition: definition, Path: path, Node: n, Pos: n.Pos}
			locked := n.Get("locked")
			e.Locked = locked != nil && locked.Text == "true"
			if raw := n.Get("source_json").AsString(); raw != "" {
				e.Raw = []byte(raw)
			}
			d.Entries = append(d.Entries, e)
		}
	}
	return ps.Err()
}

// SourcePath is the prefix of paths in the imported JSON of a definition. The JSON can contain parts that the
// definition does not contain, and a path with this prefix refers to one of these parts.
const SourcePath = "source:"

// Unread compares t with raw, the JSON from which t was imported. It returns the part of raw that t does not contain.
// This part consists of unknown keys and of values that t shortens, replaces, or omits. The source of t pins the
// complete JSON, so an approval of t also covers this part. The result is an object, or nil if t has no source.
func Unread(t registry.Tool, raw []byte) *jsondoc.Node {
	if t.Source == nil {
		return nil
	}
	format := MCP
	for _, f := range []Format{MCPText, OpenAI, Anthropic, V0} {
		if f.SourceType() == t.Source.Type {
			format = f
		}
	}
	it, err := ReadItem(format, raw)
	if err != nil {
		return object("unreadable", jsondoc.NewString(string(raw)))
	}
	return it.Unread(t)
}

// Unread returns the part of the item that t does not contain. Together, t and the result contain everything in the
// item.
func (it Item) Unread(t registry.Tool) *jsondoc.Node {
	if it.node.Kind != jsondoc.Object {
		return jsondoc.NewObject()
	}
	if it.Format == MCPText {
		it.node = it.Shown()
	}
	body := it.body()
	if body == it.node {
		return it.unreadBody(t)
	}
	rest := jsondoc.NewObject()
	for _, m := range it.node.Members {
		if m.Value == body {
			m.Value = it.unreadBody(t)
			if len(m.Value.Members) == 0 {
				continue
			}
		}
		if m.Key == "type" && m.Value.AsString() == "function" {
			continue
		}
		rest.Members = append(rest.Members, m)
	}
	return rest
}

func (it Item) unreadBody(t registry.Tool) *jsondoc.Node {
	rest := jsondoc.NewObject()
	for _, m := range it.body().Members {
		switch {
		case it.repeats(m, t):
			continue
		case m.Key == "annotations" && it.Format == MCP && m.Value.Kind == jsondoc.Object:
			m.Value = unreadHints(m.Value, t)
			if len(m.Value.Members) == 0 {
				continue
			}
		}
		rest.Members = append(rest.Members, m)
	}
	return rest
}

// repeats reports whether t contains the value of m, a member of the body.
func (it Item) repeats(m jsondoc.Member, t registry.Tool) bool {
	if it.Format == V0 {
		value, known := map[string]string{
			"name": t.Name, "archetype": t.Archetype, "scope": string(t.Scope), "usageNotes": t.UsageNotes,
			"goals": t.Goals, "guardrails": t.Guardrails, "prompt": t.Prompt,
		}[m.Key]
		return m.Key == "id" && m.Value.AsString() == it.Name || known && isText(m.Value, value)
	}
	switch m.Key {
	case "name":
		return true // part of the source and the wire name
	case "prompt":
		return it.Format == MCPText && isText(m.Value, t.Prompt)
	case "title":
		return (it.Format == MCP || it.Format == MCPText) && isText(m.Value, t.Name)
	case "description":
		return isText(m.Value, t.Description)
	case schemaKey(it.Format):
		return cmp.Or(string(schema(m.Value)), "{}") == string(t.InputSchema)
	case "outputSchema":
		return it.Format == MCP && m.Value.Kind != jsondoc.Null && string(schema(m.Value)) == string(t.OutputSchema)
	case "type":
		return it.Format == OpenAI && isText(m.Value, "function") || it.Format == Anthropic && isText(m.Value, "custom")
	}
	return false
}

// unreadHints returns the annotations in hints that t does not contain.
func unreadHints(hints *jsondoc.Node, t registry.Tool) *jsondoc.Node {
	rest := jsondoc.NewObject()
	a := *cmp.Or(t.Annotations, &registry.Annotations{})
	for _, m := range hints.Members {
		known := m.Key == "title" && isText(m.Value, t.Name)
		for _, key := range hintKeys() {
			v := *hintField(&a, key)
			known = known || m.Key == key && v != nil && m.Value.Kind == jsondoc.Bool && (m.Value.Text == "true") == *v
		}
		if !known {
			rest.Members = append(rest.Members, m)
		}
	}
	return rest
}

// isText reports whether n is the string s.
func isText(n *jsondoc.Node, s string) bool { return n.Kind == jsondoc.String && n.Text == s }

// Format is a format of tool definitions.
type Format string

// The formats.
const (
	MCP       Format = "mcp"
	OpenAI    Format = "openai"
	Anthropic Format = "anthropic"
	V0        Format = "v0"
	Toolcrib  Format = "toolcrib"
	Names     Format = "names"    // list of strings; only for checks
	MCPText   Format = "mcp_text" // prompts and instructions of an MCP server
)

// SourceType returns the type of registry.Source for definitions in format f, or "" if the source of such definitions
// is not recorded.
func (f Format) SourceType() string {
	return map[Format]string{
		MCP: registry.SourceMCP, OpenAI: registry.SourceOpenAI, Anthropic: registry.SourceAnthropic, MCPText: registry.SourceMCPText,
		V0: registry.SourceFile,
	}[f]
}

// Document is the content of a file.
type Document struct {
	Format Format
	Node   *jsondoc.Node
	// Server is the name that an MCP server reports for itself, or "" if unknown.
	Server string
	// Capabilities are the capabilities that the client had declared to the server before it requested the list, or
	// nil if unknown.
	Capabilities json.RawMessage
	Items        []Item    // for all formats except Toolcrib
	Texts        bool      // whether Items includes the prompts and instructions of an MCP server
	Entries      []Entry   // for Toolcrib
	NotKept      []string  // paths of values in the document that do not belong to any definition
	Skipped      []Skipped // elements of the list that are not readable definitions
}

// Skipped is an element of a list that is not a readable definition, such as a tool that is built into the host. It
// does not affect other elements.
type Skipped struct {
	Name   string `json:"name,omitempty"`   // untrusted; "" if the element has no name
	Reason string `json:"reason"`           // toolcrib's own words, without text of the element
	Detail string `json:"detail,omitempty"` // exact problem; can quote the element
	Entry  *Item  `json:"-"`                // the element, or nil if the document does not contain it
}

// String returns the name, the reason, and the detail as a single line.
func (s Skipped) String() string {
	line := s.Reason
	if s.Name != "" {
		line = jsondoc.Quote(s.Name) + " " + line
	}
	if s.Detail != "" {
		line += ": " + s.Detail
	}
	return line
}

// Item is a tool or another element of a list in a document.
type Item struct {
	Format Format
	Name   string // name in the document
	Pos    jsondoc.Pos
	Path   string // path in the document, such as "tools[3]"
	Raw    []byte // unchanged JSON of the item, such as a quoted string in a list of names
	node   *jsondoc.Node
}

// Entry is a definition in an export document of toolcrib.
type Entry struct {
	Subject    registry.Subject
	Locked     bool
	Definition registry.Definition
	Path       string // path in the document, such as "tools[3]"
	Node       *jsondoc.Node
	Pos        jsondoc.Pos
	// Raw is the JSON from which the definition was imported, or nil. The source of the definition contains the hash
	// of this JSON.
	Raw []byte
}

// Hash returns the SHA-256, in hex, of the canonical form (RFC 8785) of the item's JSON. White space and the order of
// keys do not affect the hash. All other parts of the JSON do, including unknown keys.
func (it Item) Hash() string { return registry.HashBytes(jsondoc.Canonical(it.node)) }

// HashRaw returns the hash of an item with the given JSON. See Item.Hash.
func HashRaw(raw []byte) (string, error) {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return "", err
	}
	return registry.HashBytes(jsondoc.Canonical(n)), nil
}

// ReadItem parses the raw JSON of one tool in the given format.
func ReadItem(f Format, raw []byte) (Item, error) {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return Item{}, err
	}
	it := Item{Format: f, Pos: n.Pos, Raw: raw, node: n}
	if it.Name = it.name(); it.Name == "" {
		return Item{}, fmt.Errorf("missing name of the tool %s", jsondoc.Quote(string(raw)))
	}
	return it, nil
}

// name returns the name of the item. For a v0 prompt, this is the id or, if the prompt has no id, the label.
func (it Item) name() string {
	switch it.Format {
	case Names:
		return it.node.Text
	case V0:
		return cmp.Or(it.node.Get("id").AsString(), it.node.Get("name").AsString())
	case MCP, MCPText, OpenAI, Anthropic, Toolcrib:
	}
	return it.body().Get("name").AsString()
}

// UnknownKeys returns the keys of a v0 prompt that are not part of the format. Imports keep these keys.
func (it Item) UnknownKeys() []string {
	var p registry.V0Prompt
	if it.Format == V0 && len(jsondoc.Bind(it.node, jsondoc.Root, &p)) == 0 {
		return p.UnknownKeys()
	}
	return nil
}

// body returns the object that contains the name, the description, and the schema.
func (it Item) body() *jsondoc.Node {
	if f := it.node.Get("function"); it.Format == OpenAI && f != nil {
		return f
	}
	return it.node
}

// Node returns the JSON tree of the item. Its positions refer to the document.
func (it Item) Node() *jsondoc.Node { return it.node }

// Place converts the path of a field in a definition to the path of the corresponding value in the item. For example,
// it returns "annotations.readOnlyHint" for "definition.annotations.readOnly". If the item does not contain the value,
// Place returns the path of the item's name.
func (it Item) Place(field string) string {
	if path, ok := strings.CutPrefix(field, SourcePath); ok {
		return path
	}
	key, rest, ok := strings.Cut(field, ".")
	if !ok || key != "definition" {
		return it.bodyPath(it.nameKey())
	}
	if it.Format == V0 {
		return rest
	}
	key = rest
	if i := strings.IndexAny(rest, ".["); i >= 0 {
		key = rest[:i]
	}
	rest = strings.TrimPrefix(rest, key)
	switch key {
	case "description":
		return it.bodyPath("description")
	case "inputSchema":
		for _, written := range []string{"inputSchema", "input_schema", "parameters"} {
			if it.body().Get(written) != nil {
				return it.bodyPath(written) + rest
			}
		}
		return it.bodyPath(schemaKey(it.Format)) + rest
	case "outputSchema":
		return it.bodyPath("outputSchema") + rest
	case "annotations":
		if !slices.Contains(hintKeys(), strings.TrimPrefix(rest, ".")+"Hint") {
			return "annotations"
		}
		return "annotations" + rest + "Hint"
	case "name":
		if it.Format == MCP && it.node.Get("title").AsString() != "" {
			return "title"
		}
		if it.Format == MCP && it.node.Get("annotations").Get("title").AsString() != "" {
			return "annotations.title"
		}
	}
	return it.bodyPath(it.nameKey())
}

// nameKey returns the key of the value that Item.Name contains.
func (it Item) nameKey() string {
	if it.Format == V0 {
		return "id"
	}
	return "name"
}

func (it Item) bodyPath(key string) string {
	if it.body() != it.node {
		return jsondoc.Join("function", key)
	}
	return key
}
