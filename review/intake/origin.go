package intake

import (
	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// uncategorised is the category of a tool whose origin names none. No list that
// toolcrib ships takes tools in by it.
const uncategorised = "other"

// Origin describes where a document came from.
type Origin struct {
	// Label names the server or the file. It is part of the ids when Server is
	// set, so that one name on two servers is two tools.
	Label  string
	Server bool
	Layer  registry.Layer // where new definitions go
	Set    string         // change set of the proposals, "" for none
}

// Definition returns the tool that an import makes of an item when nothing like it
// is live. It is the only conversion from foreign documents to the input of the
// rules: an import, lint and the evaluation of the rules all use it. The rules
// read the item's Raw beside it (rules.Change.Source).
func (o Origin) Definition(it wire.Item) registry.Tool {
	// What is shown when the origin gives no title is the name it has there.
	t := it.Onto(registry.Tool{Approval: &registry.Approval{Tier: registry.RequiresApproval}})
	t.ID, t.Source = registry.ImportedID(o.server(), it.Name), o.source(it)
	if t.Kind == registry.ActionTool {
		t.Category = uncategorised
	}
	if it.Format == wire.MCP && o.Server {
		t.Provider = &registry.Provider{Type: registry.ProviderMCP, Server: o.Label, Name: it.Name}
	}
	return t
}

// source is the source of an item's definition, nil for a name alone.
func (o Origin) source(it wire.Item) *registry.Source {
	if it.Format == wire.Names {
		return nil
	}
	return &registry.Source{Type: it.Format.SourceType(), Ref: o.ref(it.Name), Hash: it.Hash()}
}

// ref returns the reference in the source of an item.
func (o Origin) ref(name string) string { return o.Label + "#" + name }

// server is the part of an id that names the server.
func (o Origin) server() string {
	if o.Server {
		return o.Label
	}
	return ""
}
