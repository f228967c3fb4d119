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

// Format is a way to write tools down.
type Format string

// The formats.
const (
	MCP       Format = "mcp"
	OpenAI    Format = "openai"
	Anthropic Format = "anthropic"
	V0        Format = "v0"
	Toolcrib  Format = "toolcrib"
	Names     Format = "names"    // a list of strings; only a check reads it
	MCPText   Format = "mcp_text" // of the prompts and the instructions of an MCP server, beside its tools
)

// SourceType returns the registry.Source type of definitions in the format, ""
// when it is not recorded.
func (f Format) SourceType() string {
	switch f {
	case MCP:
		return registry.SourceMCP
	case OpenAI:
		return registry.SourceOpenAI
	case Anthropic:
		return registry.SourceAnthropic
	case MCPText:
		return registry.SourceMCPText
	case V0:
		return registry.SourceFile
	case Toolcrib, Names:
	}
	return ""
}

// Document is the content of a file.
type Document struct {
	Format Format
	Node   *jsondoc.Node
	// Server is the name by which an MCP server calls itself, "" when the
	// document does not say.
	Server string
	// Capabilities are the capabilities that the client had declared when the list was
	// asked for; nil when the document does not say.
	Capabilities json.RawMessage
	Items        []Item   // of every format but Toolcrib
	Texts        bool     // an MCP server was asked for its prompts and instructions, too; Items has them
	Entries      []Entry  // of Toolcrib
	NotKept      []string // keys beside the list of a v0 file, which belong to no prompt
	Skipped      []string // the reasons for leaving out entries that are not definitions, such as a host's built-in tools
}

// Item is one tool of a document.
type Item struct {
	Format Format
	Name   string // by which it is called there
	Pos    jsondoc.Pos
	Path   string // where it stands in the document: "tools[3]"
	Raw    []byte // its JSON, byte by byte; a quoted name in a list of names
	node   *jsondoc.Node
}

// Entry is one definition of toolcrib's own export.
type Entry struct {
	Subject    registry.Subject
	Locked     bool
	Definition registry.Definition
	Path       string // where it stands in the document: "tools[3]"
	Node       *jsondoc.Node
	Pos        jsondoc.Pos
	// Raw is the JSON that the definition was imported from, nil for none: what
	// its source pins.
	Raw []byte
}

// Hash identifies what an item says: the SHA-256 of the canonical form (RFC
// 8785) of its raw JSON, in hex. White space and the order of keys do not
// count, everything else does, known to toolcrib or not.
func (it Item) Hash() string { return registry.HashBytes(jsondoc.Canonical(it.node)) }

// HashRaw is Hash for JSON that was read from elsewhere, such as the answer of
// a server.
func HashRaw(raw []byte) (string, error) {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return "", err
	}
	return registry.HashBytes(jsondoc.Canonical(n)), nil
}

// ReadItem reads one tool of the given format from its raw JSON.
func ReadItem(f Format, raw []byte) (Item, error) {
	n, err := jsondoc.Parse(raw, jsondoc.DefaultLimits)
	if err != nil {
		return Item{}, err
	}
	it := Item{Format: f, Pos: n.Pos, Raw: raw, node: n}
	if it.Name = it.name(); it.Name == "" {
		return Item{}, fmt.Errorf("a tool without a name: %s", jsondoc.Quote(string(raw)))
	}
	return it, nil
}

// name returns the item's name in its format. A prompt without an id has its name
// for people.
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

// UnknownKeys returns the keys of a v0 prompt that the format does not have. They
// stay where they are.
func (it Item) UnknownKeys() []string {
	var p registry.V0Prompt
	if it.Format == V0 && len(jsondoc.Bind(it.node, jsondoc.Root, &p)) == 0 {
		return p.UnknownKeys()
	}
	return nil
}

// body returns the object that name, description and schema stand in.
func (it Item) body() *jsondoc.Node {
	if f := it.node.Get("function"); it.Format == OpenAI && f != nil {
		return f
	}
	return it.node
}

// text returns the value of a string, "" for everything else.
func text(n *jsondoc.Node) string {
	if n == nil || n.Kind != jsondoc.String {
		return ""
	}
	return n.Text
}

// Node returns the JSON of the item, with its places in the document.
func (it Item) Node() *jsondoc.Node { return it.node }

// Place returns the path inside the item of the source of a definition's field:
// "annotations.readOnlyHint" for "definition.annotations.readOnly". A field
// without a source of its own comes from the name.
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
		return "annotations" + it.hintPath(rest)
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

// nameKey is the key of the item's name.
func (it Item) nameKey() string {
	if it.Format == V0 {
		return "id"
	}
	return "name"
}

// present returns the first of keys that the body has, "" for none.
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

// hintPath turns the path of a hint in a definition into that of the server's.
func (it Item) hintPath(path string) string {
	if slices.Contains(hintKeys(), strings.TrimPrefix(path, ".")+"Hint") {
		return path + "Hint"
	}
	return ""
}
