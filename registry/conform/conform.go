// Package conform compares the tools that an application's code registers with the
// registry: missing on either side, known under another name, or defined
// differently.
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

// Finding is one disagreement.
type Finding struct {
	Rule       Rule
	File       string           // where the code registers it; "" when it does not
	Pos        jsondoc.Pos      // in that file; zero when not known
	Path       string           // of the field in that file; "" when not known
	Name       string           // as the code calls it, or the id; untrusted
	Passage    string           // what the code says there; untrusted
	Subject    registry.Subject // in the registry; zero when it lacks the tool
	Message    string
	Suggestion string
}

// Code is one file with the tools that an application registers.
type Code struct {
	File     string
	Text     []byte
	Document wire.Document
	Tiers    []Tier // the approval tiers that it sets
}

// Scope is the part of the registry that the code is compared with.
type Scope struct {
	Catalog *registry.Merged
	// Tools are the tools that the code has to register; for an agent, those it has.
	Tools []registry.Entry
	// Server is the MCP server whose tools the code registers, "" for those of
	// an application. The names of its tools are its own.
	Server string
	// Hashes are the hashes of a lock, by tool and key; nil when Catalog has whole
	// definitions.
	Hashes map[registry.Subject]map[string]string
	// Registry is the name in messages of the catalog that the code is compared with.
	Registry string
	// Pinned reports that the code is a list as the server itself sent it, which is
	// compared with the pins.
	Pinned bool
	// Partial code registers only some of the tools: missing ones are not findings.
	Partial bool
}

// Check compares code with the registry. Findings are in the order of the
// code, then of the registry.
func Check(ctx context.Context, code []Code, s Scope) ([]Finding, error) {
	s.Registry = cmp.Or(s.Registry, "the registry")
	c := checker{scope: s, met: map[registry.Subject]Finding{}, kinds: map[registry.ToolKind]bool{}, tiered: map[registry.Subject]bool{}}
	c.index()
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
	scope  Scope
	met    map[registry.Subject]Finding // where the code registers it
	kinds  map[registry.ToolKind]bool   // that the code registers
	tiered map[registry.Subject]bool    // that the code sets an approval tier for
	wired  map[string][]registry.Entry  // by the names that tools have where they come from, and in exports
	found  []Finding
}

// add reports what at is about.
func (c *checker) add(r Rule, at Finding, format string, args ...any) {
	at.Rule, at.Message, at.Suggestion = r, fmt.Sprintf(format, args...), r.Suggestion
	c.found = append(c.found, at)
}

// item holds one tool that the code registers against the registry.
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
		c.add(retiredInUse(), at, "%s is a retired name; its successor is %s.", quoted, successor)
		return nil
	case retired:
		c.add(retiredInUse(), at, "%s is a retired name, and nothing took its place.", quoted)
		return nil
	case !known && c.scope.Server != "":
		c.add(missingInRegistry(), at, "The code registers %s, which was never approved of the server %s.", quoted, c.scope.Server)
		return nil
	case !known:
		c.add(missingInRegistry(), at, "The code registers %s, which %s does not know.", quoted, c.scope.Registry)
		return nil
	}
	c.met[e.Subject] = at
	c.kinds[e.Definition.Tool.Kind] = true
	if !e.Active() {
		c.add(deactivatedInUse(), at, "The code registers %s, which is deactivated.", quoted)
		return nil
	}
	if !own {
		c.add(aliasInUse(), at, "%s is an alias of %s.", quoted, e.Definition.Tool.WireName())
	}
	c.differs(at, it, e)
	return nil
}

// inside joins the paths of an item and of a field in it.
func inside(item, field string) string {
	if strings.HasPrefix(field, "[") || item == "" {
		return item + field
	}
	return item + "." + field
}

// differs reports the keys in which the code's definition is another one, at the
// first of them that it has.
func (c *checker) differs(at Finding, it wire.Item, e registry.Entry) {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return
	}
	if ps := it.Problems(); len(ps) > 0 {
		at.Pos, at.Path = ps[0].Pos, inside(it.Path, ps[0].Path)
		c.add(definitionDiffers(), at, "The definition of %s in the code cannot be read: %s.", jsondoc.Quote(it.Name), ps[0].Message)
		return
	}
	keys := c.differing(it, e)
	if len(keys) == 0 {
		if s := e.Definition.Tool.Source; c.scope.Pinned && s != nil && s.Type == registry.SourceMCP && s.Hash != it.Hash() {
			c.add(pinDiffers(), at, "The server lists %s with the same texts and other JSON than version %d of %s was imported from.", jsondoc.Quote(it.Name), e.Version, e.Subject)
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
	c.add(definitionDiffers(), at, "The code's %s differs from version %d of %s in %s.", jsondoc.Quote(it.Name), e.Version, e.Subject, strings.Join(keys, ", "))
}

// differing returns the keys in which what the code registers differs from the
// registry; none for a name alone.
func (c *checker) differing(it wire.Item, e registry.Entry) []string {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return nil
	}
	before := *e.Definition.Tool
	after := it.Onto(before)
	after.ID = before.ID // by an alias it is the same tool
	a, b := values(before), values(after)
	if hashes, ok := c.scope.Hashes[e.Subject]; ok {
		locked(hashes, it.Format, a, b)
	}
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(both(a, b))) {
		if a[key] != b[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// values returns the canonical value of each key of a tool.
func values(t registry.Tool) map[string]string {
	n, err := jsondoc.FromValue(t)
	if err != nil {
		panic(fmt.Sprintf("conform: a decoded tool does not marshal: %v", err))
	}
	out := map[string]string{}
	for _, m := range n.Members {
		out[m.Key] = string(jsondoc.Canonical(m.Value))
	}
	return out
}

func both(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// registry reports what the code lacks, and tools without an approval tier.
func (c *checker) registry(code []Code) {
	for _, code := range code {
		switch code.Document.Format {
		case wire.MCP, wire.OpenAI, wire.Anthropic:
			c.kinds[registry.ActionTool] = true
		case wire.V0:
			c.kinds[registry.PromptTool] = true
		case wire.MCPText, wire.Names, wire.Toolcrib: // of no one kind
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
			c.add(noTier(), at, "%s has no explicit approval tier, so it asks every time.", e.Subject)
		}
		c.untiered(e)
		if _, met := c.met[e.Subject]; c.scope.Partial || met || !c.kinds[t.Kind] || !e.Active() || c.upstream(e) {
			continue
		}
		c.add(missingInCode(), at, "The code does not register %s.", e.Subject)
	}
}

// upstream reports whether an MCP server registers a tool, and not the code.
func (c *checker) upstream(e registry.Entry) bool {
	p := e.Definition.Tool.Provider
	return c.scope.Server == "" && p != nil && p.Type == registry.ProviderMCP
}
