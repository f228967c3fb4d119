// Package conform compares what the code of an application registers with what
// the registry has, both ways: what only one of them knows, what is known under
// another name, and what says something else there.
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
	Name       string           // as the code calls it, or the id; untrusted
	Subject    registry.Subject // in the registry; zero when it lacks the tool
	Message    string
	Suggestion string
}

// Code is one file of what an application registers.
type Code struct {
	File     string
	Document wire.Document
	Tiers    []Tier // the approval tiers that it sets
}

// Tier is an approval tier that is set for a name.
type Tier struct {
	Name string
	File string
	Pos  jsondoc.Pos
}

// Scope says what the code is held against.
type Scope struct {
	Catalog *registry.Merged
	// Tools are those that the code has to register; for an agent, what it has.
	Tools []registry.Entry
	// Partial code registers only some of the tools: what it lacks is no
	// finding.
	Partial bool
}

// Check compares code with the registry. Findings are in the order of the
// code, then of the registry.
func Check(ctx context.Context, code []Code, s Scope) ([]Finding, error) {
	c := checker{scope: s, met: map[registry.Subject]bool{}, kinds: map[registry.ToolKind]bool{}, wired: map[string]registry.Entry{}, origins: map[string]registry.Entry{}}
	for _, e := range s.Catalog.Tools() {
		t := e.Definition.Tool
		if t.Source != nil && t.OriginName() != "" {
			c.origins[t.Source.Type+"\n"+t.OriginName()] = e
		}
		c.wired[t.WireName()] = e
	}
	for _, file := range code {
		for _, it := range file.Document.Items {
			if err := c.item(ctx, file.File, it); err != nil {
				return nil, err
			}
		}
		for _, t := range file.Tiers {
			c.tier(ctx, t)
		}
	}
	c.registry(code)
	return c.found, nil
}

type checker struct {
	scope Scope
	met   map[registry.Subject]bool
	kinds map[registry.ToolKind]bool // that the code registers
	wired map[string]registry.Entry  // by wire name
	// origins are the tools by source type and the name that they have there.
	origins map[string]registry.Entry
	found   []Finding
}

func (c *checker) add(r Rule, file string, pos jsondoc.Pos, name string, s registry.Subject, format string, args ...any) {
	c.found = append(c.found, Finding{
		Rule: r, File: file, Pos: pos, Name: name, Subject: s, Message: fmt.Sprintf(format, args...), Suggestion: r.Suggestion,
	})
}

// item holds one tool that the code registers against the registry.
func (c *checker) item(ctx context.Context, file string, it wire.Item) error {
	e, known, err := c.scope.Catalog.ByName(ctx, it.Name)
	if err != nil {
		return err
	}
	own := known && e.Definition.Tool.WireName() == it.Name
	if w, ok := c.wired[it.Name]; ok && !own {
		e, known, own = w, true, true
	}
	if w, ok := c.origins[it.Format.SourceType()+"\n"+it.Name]; ok && !known {
		e, known, own = w, true, true
	}
	successor, retired := shipped.Retired(it.Name)
	quoted := jsondoc.Quote(it.Name)
	switch {
	case retired && successor != "":
		c.add(retiredInUse(), file, it.Pos, it.Name, e.Subject, "%s is a retired name; its successor is %s.", quoted, successor)
		return nil
	case retired:
		c.add(retiredInUse(), file, it.Pos, it.Name, e.Subject, "%s is a retired name, and nothing took its place.", quoted)
		return nil
	case !known:
		c.add(missingInRegistry(), file, it.Pos, it.Name, registry.Subject{}, "The code registers %s, which the registry does not know.", quoted)
		return nil
	}
	c.met[e.Subject] = true
	c.kinds[e.Definition.Tool.Kind] = true
	if !e.Active() {
		c.add(deactivatedInUse(), file, it.Pos, it.Name, e.Subject, "The code registers %s, which is deactivated.", quoted)
		return nil
	}
	if !own {
		c.add(aliasInUse(), file, it.Pos, it.Name, e.Subject, "%s is an alias of %s.", quoted, e.Definition.Tool.WireName())
	}
	c.differs(file, it, e)
	return nil
}

func (c *checker) differs(file string, it wire.Item, e registry.Entry) {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return
	}
	if ps := it.Problems(); len(ps) > 0 {
		c.add(definitionDiffers(), file, it.Pos, it.Name, e.Subject, "The definition of %s in the code can not be read: %s.", jsondoc.Quote(it.Name), ps[0].Message)
		return
	}
	before := *e.Definition.Tool
	after := it.Onto(before)
	after.ID = before.ID // by an alias it is the same tool
	a, b := values(before), values(after)
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(both(a, b))) {
		if a[key] != b[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		c.add(definitionDiffers(), file, it.Pos, it.Name, e.Subject, "The code's %s differs from version %d of %s in %s.", jsondoc.Quote(it.Name), e.Version, e.Subject, strings.Join(keys, ", "))
	}
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

// tier looks for an approval tier that has no effect.
func (c *checker) tier(ctx context.Context, t Tier) {
	e, known, err := c.scope.Catalog.ByName(ctx, t.Name)
	if w, ok := c.wired[t.Name]; ok && !known {
		e, known = w, true
	}
	successor, _ := shipped.Retired(t.Name)
	switch {
	case err == nil && known && e.Active() && !shipped.DeadTierEntry(t.Name):
	case successor != "":
		c.add(deadTier(), t.File, t.Pos, t.Name, registry.Subject{}, "An approval tier is set for %s, which is retired; its successor is %s.", jsondoc.Quote(t.Name), successor)
	default:
		c.add(deadTier(), t.File, t.Pos, t.Name, registry.Subject{}, "An approval tier is set for %s, which is no tool.", jsondoc.Quote(t.Name))
	}
}

// registry reports what the code lacks, and tools without an approval tier.
func (c *checker) registry(code []Code) {
	for _, code := range code {
		switch code.Document.Format {
		case wire.MCP, wire.OpenAI, wire.Anthropic:
			c.kinds[registry.ActionTool] = true
		case wire.V0:
			c.kinds[registry.PromptTool] = true
		case wire.Names, wire.Toolcrib: // what is in it says it
		}
	}
	tools := slices.Clone(c.scope.Tools)
	slices.SortStableFunc(tools, func(a, b registry.Entry) int { return cmp.Compare(a.Subject.ID, b.Subject.ID) })
	for _, e := range tools {
		t := e.Definition.Tool
		if t.Kind == registry.ActionTool && t.Approval == nil {
			c.add(noTier(), "", jsondoc.Pos{}, t.ID, e.Subject, "%s has no explicit approval tier, so it asks every time.", e.Subject)
		}
		upstream := t.Provider != nil && t.Provider.Type == registry.ProviderMCP // its server registers it
		if c.scope.Partial || c.met[e.Subject] || !c.kinds[t.Kind] || upstream {
			continue
		}
		c.add(missingInCode(), "", jsondoc.Pos{}, t.ID, e.Subject, "The code does not register %s.", e.Subject)
	}
}
