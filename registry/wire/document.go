package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Format is a format of tool definitions.
type Format string

// The formats.
const (
	MCP       Format = "mcp"
	OpenAI    Format = "openai"
	Anthropic Format = "anthropic"
	V0        Format = "v0"
	Toolcrib  Format = "toolcrib"
	Names     Format = "names"    // a list of strings; only for checks
	MCPText   Format = "mcp_text" // prompts and instructions of an MCP server
)

// SourceType returns the registry.Source type of definitions in the format, or ""
// if the source is not recorded.
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
	// Server is the name by which an MCP server identifies itself, or "" if
	// unknown.
	Server string
	// Capabilities are the capabilities that the client had declared when it
	// requested the list, or nil if unknown.
	Capabilities json.RawMessage
	Items        []Item    // for all formats except Toolcrib
	Texts        bool      // Items includes the prompts and instructions of an MCP server
	Entries      []Entry   // for Toolcrib
	NotKept      []string  // paths of parts that belong to no definition
	Skipped      []Skipped // entries that are not definitions
}

// Skipped is an entry of a list that cannot be read as a definition, such as a host's
// built-in tool. It does not affect the other entries.
type Skipped struct {
	Name   string `json:"name,omitempty"`   // untrusted; "" for an entry without a name
	Reason string `json:"reason"`           // in toolcrib's own words, without text of the entry
	Detail string `json:"detail,omitempty"` // the exact problem; may contain text of the entry
}

// String returns the name, the reason, and the detail in one line.
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

// Item is one tool of a document.
type Item struct {
	Format Format
	Name   string // name in the document
	Pos    jsondoc.Pos
	Path   string // path in the document: "tools[3]"
	Raw    []byte // unchanged bytes of its JSON; a quoted name in a list of names
	node   *jsondoc.Node
}

// Entry is one definition in toolcrib's own export.
type Entry struct {
	Subject    registry.Subject
	Locked     bool
	Definition registry.Definition
	Path       string // path in the document: "tools[3]"
	Node       *jsondoc.Node
	Pos        jsondoc.Pos
	// Raw is the JSON from which the definition was imported, to which the hash in
	// its source refers, or nil.
	Raw []byte
}

// Hash returns the SHA-256 of the canonical form (RFC 8785) of the item's raw JSON,
// in hex. It ignores white space and the order of keys and covers everything else,
// including unknown keys.
func (it Item) Hash() string { return registry.HashBytes(jsondoc.Canonical(it.node)) }

// HashRaw does the same as Hash for raw JSON, such as the answer of a server.
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

// name returns the name in the item's format. For a prompt without an id, it is the
// label.
func (it Item) name() string {
	switch it.Format {
	case Names:
		return it.node.Text
	case V0:
		return cmp.Or(text(it.node.Get("id")), text(it.node.Get("name")))
	case MCP, MCPText, OpenAI, Anthropic, Toolcrib:
	}
	return text(it.body().Get("name"))
}

// UnknownKeys returns the keys of a v0 prompt that are not part of the format. They
// are kept.
func (it Item) UnknownKeys() []string {
	var p registry.V0Prompt
	if it.Format == V0 && len(jsondoc.Bind(it.node, jsondoc.Root, &p)) == 0 {
		return p.UnknownKeys()
	}
	return nil
}

// body returns the object that contains name, description and schema.
func (it Item) body() *jsondoc.Node {
	if f := it.node.Get("function"); it.Format == OpenAI && f != nil {
		return f
	}
	return it.node
}

// text returns the value of a string node, and "" for other nodes.
func text(n *jsondoc.Node) string {
	if n == nil || n.Kind != jsondoc.String {
		return ""
	}
	return n.Text
}

// Node returns the JSON of the item, with positions in the document.
func (it Item) Node() *jsondoc.Node { return it.node }

// Place returns the path in the item from which a field of the definition was read:
// "annotations.readOnlyHint" for "definition.annotations.readOnly". For fields
// without such a path, it returns the path of the name.
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
		return it.bodyPath(cmp.Or(it.present("inputSchema", "input_schema", "parameters"), schemaKey(it.Format))) + rest
	case "outputSchema":
		return it.bodyPath("outputSchema") + rest
	case "annotations":
		if !slices.Contains(hintKeys(), strings.TrimPrefix(rest, ".")+"Hint") {
			return "annotations"
		}
		return "annotations" + rest + "Hint"
	case "name":
		if it.Format == MCP && text(it.node.Get("title")) != "" {
			return "title"
		}
		if it.Format == MCP && text(it.node.Get("annotations").Get("title")) != "" {
			return "annotations.title"
		}
	}
	return it.bodyPath(it.nameKey())
}

// nameKey returns the key of the item's name.
func (it Item) nameKey() string {
	if it.Format == V0 {
		return "id"
	}
	return "name"
}

// present returns the first of keys that the body has, or "".
func (it Item) present(keys ...string) string {
	for _, key := range keys {
		if it.body().Get(key) != nil {
			return key
		}
	}
	return ""
}

func (it Item) bodyPath(key string) string {
	if it.body() != it.node {
		return jsondoc.Join("function", key)
	}
	return key
}
