// Package conform compares the tools that the code of an application registers with
// the registry. Tools can be missing on either side, have another name, or have
// another definition.
package conform

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

// Finding is one difference.
type Finding struct {
	Rule       Rule
	File       string           // file that registers the tool, or ""
	Pos        jsondoc.Pos      // in File; zero if unknown
	Path       string           // of the field in File; "" if unknown
	Name       string           // name in the code, or the id; untrusted
	Passage    string           // text at this position; untrusted
	Subject    registry.Subject // in the registry; zero if it does not have the tool
	Message    string
	Suggestion string
}

// Code is a file with the tools that an application registers.
type Code struct {
	File     string
	Text     []byte
	Document wire.Document
	Tiers    []Tier // approval tiers that the file sets
}

// Scope is the part of the registry with which the code is compared.
type Scope struct {
	Catalog *registry.Merged
	// Tools lists the tools that the code has to register; for an agent, those it
	// has.
	Tools []registry.Entry
	// Server is the MCP server that the code implements, or "" for an application.
	// Tools of a server may have any names.
	Server string
	// Hashes has the hashes in a lock, by tool and key; nil if Catalog has complete
	// definitions.
	Hashes map[registry.Subject]map[string]string
	// Registry is the name of the catalog in messages.
	Registry string
	// Pinned reports that the code is the list that the server itself sent, so that
	// its hashes are compared with the pins.
	Pinned bool
	// Partial means that the code registers only some tools; missing ones are not
	// findings.
	Partial bool
}

// Check compares code with the registry. It returns findings about the code in its
// order, and then those about the registry.
func Check(ctx context.Context, code []Code, s Scope) ([]Finding, error) {
	s.Registry = cmp.Or(s.Registry, "the registry")
	c := checker{scope: s, registered: map[registry.Subject]Finding{}, kinds: map[registry.ToolKind]bool{}, tiered: map[registry.Subject]bool{}, wired: map[string][]registry.Entry{}}
	for _, e := range s.Catalog.Tools() {
		t := e.Definition.Tool
		for _, name := range slices.Compact([]string{t.OriginName(), t.WireName()}) {
			if name != "" && name != t.ID {
				c.wired[name] = append(c.wired[name], e)
			}
		}
	}
	for _, file := range code {
		for _, it := range file.Document.Items {
			if err := c.item(ctx, file.File, it); err != nil {
				return nil, err
			}
		}
		for _, t := range file.Tiers {
			if err := c.tier(ctx, t); err != nil {
				return nil, err
			}
		}
	}
	c.registry(code)
	return c.found, nil
}

type checker struct {
	scope      Scope
	registered map[registry.Subject]Finding // where the code registers each tool
	kinds      map[registry.ToolKind]bool   // kinds that the code registers
	tiered     map[registry.Subject]bool    // tools for which the code sets an approval tier
	wired      map[string][]registry.Entry  // tools by their names at the source and in exports
	found      []Finding
}

// add adds a finding of rule r at the position of at.
func (c *checker) add(r Rule, at Finding, format string, args ...any) {
	at.Rule, at.Message, at.Suggestion = r, fmt.Sprintf(format, args...), r.Suggestion
	c.found = append(c.found, at)
}

// item compares one tool of the code with the registry.
func (c *checker) item(ctx context.Context, file string, it wire.Item) error {
	e, own, known, err := c.find(ctx, it.Name, it.Format, func(e registry.Entry) []string { return c.differing(it, e) })
	if err != nil {
		return err
	}
	successor, retired := shipped.Retired(it.Name)
	retired = retired && c.scope.Server == "" && (!known || label(e) == "")
	quoted := jsondoc.Quote(it.Name)
	at := Finding{File: file, Pos: it.Pos, Path: it.Path, Name: it.Name, Passage: it.Name, Subject: e.Subject}
	if n := it.Node().Find(it.Place("")); n != nil {
		at.Pos, at.Path = n.Pos, inside(it.Path, it.Place(""))
	}
	switch {
	case retired && successor != "":
		c.add(retiredInUse, at, "%s is a retired name; use its successor %s.", quoted, successor)
		return nil
	case retired:
		c.add(retiredInUse, at, "%s is a retired name without a successor.", quoted)
		return nil
	case !known && c.scope.Server != "":
		c.add(missingInRegistry, at, "The code registers %s, which was never approved for the server %s.", quoted, c.scope.Server)
		return nil
	case !known:
		c.add(missingInRegistry, at, "The code registers %s, which is not in %s.", quoted, c.scope.Registry)
		return nil
	}
	c.registered[e.Subject] = at
	c.kinds[e.Definition.Tool.Kind] = true
	if !e.Active() {
		c.add(deactivatedInUse, at, "The code registers %s, which is deactivated.", quoted)
		return nil
	}
	if !own {
		c.add(aliasInUse, at, "%s is an alias of %s.", quoted, e.Definition.Tool.WireName())
	}
	c.differs(at, it, e)
	return nil
}

// inside joins the path of an item and the path of a field in it.
func inside(item, field string) string {
	if strings.HasPrefix(field, "[") || item == "" {
		return item + field
	}
	return item + "." + field
}

// differs reports a definition that differs, with the changed keys, at the first of
// them in the code.
func (c *checker) differs(at Finding, it wire.Item, e registry.Entry) {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return
	}
	if ps := it.Problems(); len(ps) > 0 {
		at.Pos, at.Path = ps[0].Pos, inside(it.Path, ps[0].Path)
		c.add(definitionDiffers, at, "Cannot read the definition of %s in the code: %s.", jsondoc.Quote(it.Name), ps[0].Message)
		return
	}
	s := e.Definition.Tool.Source
	if s != nil && len(s.Excluded) > 0 && it.Format == wire.MCP && it.Pin(s.Excluded) == s.Pin() {
		return
	}
	keys := c.differing(it, e)
	if len(keys) == 0 {
		if c.scope.Pinned && s != nil && s.Type == registry.SourceMCP && s.Hash != it.Hash() {
			c.add(pinDiffers, at, "The server lists %s with the same texts as version %d of %s, but its other JSON differs from the import.", jsondoc.Quote(it.Name), e.Version, e.Subject)
		}
		return
	}
	for _, key := range keys {
		path := it.Place("definition." + key)
		if n := it.Node().Find(path); n != nil && path != it.Place("") {
			at.Pos, at.Path, at.Passage = n.Pos, inside(it.Path, path), n.Text
			break
		}
	}
	c.add(definitionDiffers, at, "The code's %s differs from version %d of %s in %s.", jsondoc.Quote(it.Name), e.Version, e.Subject, strings.Join(keys, ", "))
}

// differing returns the keys in which an item differs from the registry. It returns
// nil for formats without definitions.
func (c *checker) differing(it wire.Item, e registry.Entry) []string {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return nil
	}
	before := *e.Definition.Tool
	after := it.Onto(before)
	after.ID = before.ID // an alias is not a difference
	a, b := before.Values(), after.Values()
	if hashes, ok := c.scope.Hashes[e.Subject]; ok {
		useHashes(hashes, it.Format, a, b)
	}
	var keys []string
	all := maps.Clone(a)
	maps.Copy(all, b)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a[key] != b[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// registry reports tools that the code does not register, and tools without an
// approval tier.
func (c *checker) registry(code []Code) {
	for _, code := range code {
		switch code.Document.Format {
		case wire.MCP, wire.OpenAI, wire.Anthropic:
			c.kinds[registry.ActionTool] = true
		case wire.V0:
			c.kinds[registry.PromptTool] = true
		case wire.MCPText, wire.Names, wire.Toolcrib: // these can have any kind
		}
	}
	tools := slices.Clone(c.scope.Tools)
	if c.scope.Server != "" {
		tools = slices.DeleteFunc(tools, func(e registry.Entry) bool { return label(e) != c.scope.Server })
	}
	slices.SortStableFunc(tools, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	for _, e := range tools {
		t := e.Definition.Tool
		at := Finding{Name: t.ID, Subject: e.Subject}
		if t.Kind == registry.ActionTool && t.Approval == nil {
			c.add(noTier, at, "%s has no explicit approval tier, so every call requires approval.", e.Subject)
		}
		c.untiered(e)
		if _, met := c.registered[e.Subject]; c.scope.Partial || met || !c.kinds[t.Kind] || !e.Active() || c.upstream(e) {
			continue
		}
		c.add(missingInCode, at, "The code does not register %s.", e.Subject)
	}
}

// upstream reports whether a tool belongs to an MCP server, so that the code does
// not register it.
func (c *checker) upstream(e registry.Entry) bool {
	p := e.Definition.Tool.Provider
	return c.scope.Server == "" && p != nil && p.Type == registry.ProviderMCP
}
