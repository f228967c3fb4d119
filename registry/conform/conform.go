// Package conform compares the tools that an application's code registers with the tools in the registry. A tool can be
// missing on either side, or differ in its name or in its definition.
package conform

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolcrib/internal/lists"
	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

// Finding is a difference between the code and the registry.
type Finding struct {
	Rule       Rule
	File       string           // file that registers the tool, or ""
	Pos        jsondoc.Pos      // position in File; zero if unknown
	Path       string           // path of the field in File; "" if unknown
	Name       string           // name in the code, or the id of the tool; untrusted
	Passage    string           // text at Pos; untrusted
	Subject    registry.Subject // subject in the registry; zero if the registry does not have the tool
	Message    string
	Suggestion string
}

// Code is a file of the application with the tools that it registers.
type Code struct {
	File     string
	Text     []byte
	Document wire.Document
	Tiers    []Tier // approval tiers that the file sets
}

// Scope specifies the part of the registry to compare with the code, and options for the comparison.
type Scope struct {
	Catalog *registry.Merged
	// Tools lists the tools that the code has to register. If the code belongs to an agent, these are the agent's
	// tools.
	Tools []registry.Entry
	// Server is the name of the MCP server that the code implements, or "" for an application. The tools of a server
	// can have any names.
	Server string
	// Hashes contains the hashes in a lock, by tool and key. It is nil if Catalog has complete definitions.
	Hashes map[registry.Subject]map[string]string
	// Registry is the term for the catalog in messages, such as "the registry".
	Registry string
	// Pinned means that the code is the list that the server itself sent. The hashes of the tools are then compared
	// with the approved pins.
	Pinned bool
	// Partial means that the code registers only some of the tools. Missing tools are then not reported.
	Partial bool
}

// Check compares code with the registry. It returns the findings about the code in the order of the code, followed by
// the findings about the registry.
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
	registered map[registry.Subject]Finding // positions at which the code registers each tool
	kinds      map[registry.ToolKind]bool   // kinds of tools that the code registers
	tiered     map[registry.Subject]bool    // tools for which the code sets an approval tier
	wired      map[string][]registry.Entry  // tools by their names at the source and by their wire names
	found      []Finding
}

// add adds a finding of rule r. The position and the names come from base.
func (c *checker) add(r Rule, base Finding, format string, args ...any) {
	base.Rule, base.Message, base.Suggestion = r, fmt.Sprintf(format, args...), r.Suggestion
	c.found = append(c.found, base)
}

// item compares a tool that the code registers with the registry.
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
		c.add(aliasInUse, at, "The code registers %s, which is an alias of %s.", quoted, e.Definition.Tool.WireName())
	}
	c.differs(at, it, e)
	return nil
}

// inside joins the path of an item and the path of a field within the item.
func inside(item, field string) string {
	if strings.HasPrefix(field, "[") || item == "" {
		return item + field
	}
	return item + "." + field
}

// differs adds a finding if the item and e have different values for some keys. The finding lists these keys. It
// points to the first of these keys in the code.
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
			c.add(pinDiffers, at, "The texts of %s match version %d of %s, but other parts of the JSON from the server differ from the imported JSON.", jsondoc.Quote(it.Name), e.Version, e.Subject)
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
	c.add(definitionDiffers, at, "The code's definition of %s differs from version %d of %s in %s.", jsondoc.Quote(it.Name), e.Version, e.Subject, strings.Join(keys, ", "))
}

// differing returns the keys that have different values in the item and in e. It returns nil for formats that contain
// no definitions.
func (c *checker) differing(it wire.Item, e registry.Entry) []string {
	if it.Format == wire.Names || it.Format == wire.Toolcrib {
		return nil
	}
	before := *e.Definition.Tool
	after := it.ApplyTo(before)
	after.ID = before.ID // item reports aliases separately
	a, b := before.Values(), after.Values()
	if hashes, ok := c.scope.Hashes[e.Subject]; ok {
		useHashes(hashes, it.Format, a, b)
	}
	all := maps.Clone(a)
	maps.Copy(all, b)
	return lists.Filter(slices.Sorted(maps.Keys(all)), func(key string) bool { return a[key] != b[key] })
}

// registry reports tools in the registry that the code does not register, and tools without an approval tier in the
// code.
func (c *checker) registry(code []Code) {
	for _, code := range code {
		switch code.Document.Format {
		case wire.MCP, wire.OpenAI, wire.Anthropic:
			c.kinds[registry.ActionTool] = true
		case wire.V0:
			c.kinds[registry.PromptTool] = true
		case wire.MCPText, wire.Names, wire.Toolcrib: // tools in these formats can have any kind
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

// upstream reports whether e belongs to an MCP server. An application does not register such a tool itself.
func (c *checker) upstream(e registry.Entry) bool {
	p := e.Definition.Tool.Provider
	return c.scope.Server == "" && p != nil && p.Type == registry.ProviderMCP
}

// Rule describes one kind of finding.
type Rule struct {
	ID, Name, Severity, Doc, Suggestion string
}

// Rules returns all rules.
func Rules() []Rule {
	return []Rule{missingInRegistry, retiredInUse, deactivatedInUse, definitionDiffers, missingInCode, aliasInUse, noTier, deadTier, tierDiffers, unknownTier, missingTier, pinDiffers}
}

// The rules.
var (
	missingInRegistry = Rule{"K101", "missing-in-registry", "block", "The code registers a tool that is not in the registry. Nobody has reviewed its definition.", "Import or propose the tool, or remove it from the code."}
	retiredInUse      = Rule{"K102", "retired-in-use", "block", "The code registers a tool under a retired name.", "Register the successor instead."}
	deactivatedInUse  = Rule{"K103", "deactivated-in-use", "block", "The code registers a deactivated tool.", "Remove the tool from the code, or propose to reactivate it."}
	definitionDiffers = Rule{"K104", "definition-differs", "block", "The definition of a tool in the code differs from the approved definition.", "Load the approved definition with `toolcrib export`, or import the definition in the code as a proposal."}
	missingInCode     = Rule{"K105", "missing-in-code", "warn", "The code does not register an active tool of the registry, so agents see a tool that they cannot call.", "Register the tool, or propose to deactivate it."}
	aliasInUse        = Rule{"K106", "alias-in-use", "warn", "The code registers a tool under an alias, but prompts and exports call it by its wire name.", "Register the tool under its wire name."}
	noTier            = Rule{"K107", "no-approval-tier", "warn", "A tool has no explicit approval tier, so every call requires approval. This is safe, but may not be intended.", "Propose an approval tier."}
	deadTier          = Rule{"K108", "dead-tier-entry", "warn", "The code sets an approval tier for a name that is not a tool, so the tier has no effect.", "Remove the entry, or set the tier for the tool's successor."}
	tierDiffers       = Rule{"K109", "tier-differs", "block", "The code sets an approval tier that differs from the approved tier. The rule blocks if the tier in the code is less strict, because calls then run without the required approval. It warns if the tier is stricter.", "Set the approved tier, or propose a different tier."}
	unknownTier       = Rule{"K110", "unknown-tier", "block", "The code sets an approval tier that does not exist, so toolcrib cannot determine whether calls require approval.", "Use auto_approve, requires_approval, or user_configurable."}
	missingTier       = Rule{"K111", "missing-tier", "warn", "The code sets approval tiers for some tools, but not for this tool. Whether its calls require approval depends on how the code treats tools without a tier.", "Set the approved tier."}
	pinDiffers        = Rule{"K112", "pin-differs", "block", "The JSON that a server sends for a tool differs from the approved JSON in keys that definitions do not contain. Clients may show these keys, so toolcrib refuses calls of the tool.", "Import the server's list and review the change."}
)

// Tier is an approval tier that the code sets for a name.
type Tier struct {
	Name  string
	Value string // "" unless the value is a string or an object with the key "tier"
	// Default is the value of the key "default" if the value is an object.
	Default string
	File    string
	Pos     jsondoc.Pos // position of the value
	Path    string
}

// Tiers reads an object that maps names of tools to approval tiers. A tier is a string, or an object with the keys
// "tier" and "default" as in definitions. The arguments file and path locate the object.
func Tiers(file, path string, n *jsondoc.Node) []Tier {
	if n == nil {
		return nil
	}
	var tiers []Tier
	for _, m := range n.Members {
		t := Tier{Name: m.Key, File: file, Path: jsondoc.Join(path, m.Key)}
		value := m.Value
		t.Pos = value.Pos
		if value.Kind == jsondoc.Object {
			t.Default = value.Get("default").AsString()
			value = value.Get("tier")
		}
		t.Value = value.AsString()
		tiers = append(tiers, t)
	}
	return tiers
}

// tier compares an approval tier in the code with the approved tier.
func (c *checker) tier(ctx context.Context, t Tier) error {
	e, _, known, err := c.find(ctx, t.Name, "", nil)
	if err != nil {
		return err
	}
	quoted := jsondoc.Quote(t.Name)
	at := Finding{File: t.File, Pos: t.Pos, Path: t.Path, Name: t.Name, Passage: t.Value}
	successor, _ := shipped.Retired(t.Name)
	foreign := known && label(e) != ""
	switch {
	case known && e.Active() && (foreign || !shipped.DeadTierEntry(t.Name)):
	case successor != "" && c.scope.Server == "":
		c.add(deadTier, at, "An approval tier is set for %s, which is retired; its successor is %s.", quoted, successor)
		return nil
	default:
		c.add(deadTier, at, "An approval tier is set for %s, which is not a tool.", quoted)
		return nil
	}
	at.Subject = e.Subject
	c.tiered[e.Subject] = true
	code, approved := registry.Approval{Tier: registry.ApprovalTier(t.Value), Default: registry.ApprovalTier(t.Default)}, e.Definition.Tool.Approval
	switch ours, theirs := strictness(&code, approved), strictness(approved, nil); {
	case ours < 0:
		said := "a value that is not a string"
		if t.Value != "" {
			said = jsondoc.Quote(t.Value)
		}
		c.add(unknownTier, at, "For %[2]s, the code sets %[1]s, which is not an approval tier.", said, quoted)
	case ours < theirs:
		c.add(tierDiffers, at, "For %[2]s, the code sets %[1]s, which is less strict than the approved tier %[3]s.", written(&code), quoted, written(approved))
	case ours > theirs:
		r := tierDiffers
		r.Severity = "warn"
		c.add(r, at, "For %[2]s, the code sets %[1]s, which is stricter than the approved tier %[3]s.", written(&code), quoted, written(approved))
	}
	return nil
}

// strictness ranks approvals from 0, which runs all calls, to 3, which never runs a call without approval. An unknown
// tier has the rank -1. A tool without a tier always requires approval. If the tier of a is UserConfigurable without a
// default, strictness uses the default of approved.
func strictness(a, approved *registry.Approval) int {
	if a == nil {
		return 3
	}
	switch a.Tier {
	case registry.AutoApprove:
		return 0
	case registry.RequiresApproval:
		return 3
	case registry.UserConfigurable:
		if a.Default == "" && approved != nil && approved.Tier == a.Tier {
			a = approved
		}
		switch a.Default {
		case registry.AutoApprove:
			return 1
		case registry.RequiresApproval, "":
			return 2
		case registry.UserConfigurable:
		}
	}
	return -1
}

func written(a *registry.Approval) string {
	switch {
	case a == nil:
		return string(registry.RequiresApproval) + " (no explicit tier)"
	case a.Default != "":
		return fmt.Sprintf("%s with %s as its default", jsondoc.Printable(string(a.Tier)), jsondoc.Printable(string(a.Default)))
	}
	return string(a.Tier)
}

// untiered reports an active tool for which the code sets no approval tier, although it sets tiers for other tools.
func (c *checker) untiered(e registry.Entry) {
	if len(c.tiered) == 0 || c.tiered[e.Subject] || !e.Active() || e.Definition.Tool.Kind != registry.ActionTool {
		return
	}
	at, met := c.registered[e.Subject]
	if !met && (c.scope.Partial || c.upstream(e) || c.kinds[registry.ActionTool]) {
		return // reported as missing in the code instead
	}
	if !met {
		at = Finding{Name: e.Subject.ID, Subject: e.Subject}
	}
	c.add(missingTier, at, "The code sets approval tiers for other tools, but not for %s.", e.Subject)
}

// label returns the name of the server or file from which a tool was imported, or "".
func label(e registry.Entry) string {
	t := e.Definition.Tool
	if p := t.Provider; p != nil && p.Type == registry.ProviderMCP {
		return p.Server
	}
	if t.Source == nil {
		return ""
	}
	from, _, _ := strings.Cut(t.Source.Ref, "#")
	return from
}

// find returns the tool that has the given name in the code. The result byName is true if name is the tool's name at
// the source or its wire name, and false if name is an alias or an id. The function differs returns the keys that have
// different values in the code and in a given tool. It is nil if format contains no definitions.
//
// Two tools can match: an imported tool that has this name at its server, and a tool that has this name as its id.
// find prefers the tool with the same definition as the code. If both definitions differ, find prefers the imported
// tool to a tool of the global layer, because servers do not know the shipped tools. If the scope has a server, find
// considers only the tools of this server.
func (c *checker) find(ctx context.Context, name string, format wire.Format, differs func(registry.Entry) []string) (e registry.Entry, byName, known bool, err error) {
	found, err := c.scope.Catalog.ByName(ctx, name)
	if err != nil {
		return registry.Entry{}, false, false, err
	}
	named, known := found[name]
	wired := slices.Clone(c.wired[name])
	if c.scope.Server != "" {
		wired = slices.DeleteFunc(wired, func(e registry.Entry) bool { return label(e) != c.scope.Server })
		known = known && label(named) == c.scope.Server
	}
	slices.SortStableFunc(wired, func(a, b registry.Entry) int { return sameFormat(b, format) - sameFormat(a, format) })
	if known {
		at := len(wired)
		if named.Subject.ID == name && named.Subject.Layer != registry.LayerGlobal {
			at = 0
		}
		wired = slices.Insert(wired, at, named)
	}
	if len(wired) == 0 {
		return registry.Entry{}, false, false, nil
	}
	meant := 0
	if differs != nil {
		meant = max(slices.IndexFunc(wired, func(e registry.Entry) bool { return len(differs(e)) == 0 }), 0)
	}
	e = wired[meant]
	t := e.Definition.Tool
	return e, t.OriginName() == name || t.WireName() == name, true, nil
}

// sameFormat returns 1 if e was imported from format f, and otherwise 0.
func sameFormat(e registry.Entry, f wire.Format) int {
	if src := e.Definition.Tool.Source; src != nil && src.Type == f.SourceType() {
		return 1
	}
	return 0
}
