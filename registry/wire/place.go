package wire

import (
	"cmp"
	"slices"
	"strings"

	"toolcrib/registry/jsondoc"
)

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
