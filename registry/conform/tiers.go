// This file compares approval tiers and finds the tools that the code refers to.

package conform

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
	"toolcrib/registry/shipped"
	"toolcrib/registry/wire"
)

// Tier is an approval tier that the code sets for a name.
type Tier struct {
	Name  string
	Value string // "" unless it is a string or an object with "tier"
	// Default is the value of "default" if the tier is an object.
	Default string
	File    string
	Pos     jsondoc.Pos // of the value
	Path    string
}

// Tiers reads an object that maps names to approval tiers. A tier is a string, or
// an object with "tier" and "default" as in definitions.
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
			if d := value.Get("default"); d != nil && d.Kind == jsondoc.String {
				t.Default = d.Text
			}
			value = value.Get("tier")
		}
		if value != nil && value.Kind == jsondoc.String {
			t.Value = value.Text
		}
		tiers = append(tiers, t)
	}
	return tiers
}

// tier compares an approval tier in the code with the approved one.
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
		c.add(unknownTier, at, "The code sets %s for %s, which is not an approval tier.", said, quoted)
	case ours < theirs:
		c.add(tierDiffers, at, "The code sets %s for %s, which is looser than the approved %s.", written(&code), quoted, written(approved))
	case ours > theirs:
		r := tierDiffers
		r.Severity = "warn"
		c.add(r, at, "The code sets %s for %s, which is stricter than the approved %s.", written(&code), quoted, written(approved))
	}
	return nil
}

// strictness ranks approvals from 0, which runs all calls, to 3, which never runs a
// call without approval. Unknown tiers have rank -1. A tool without a tier always
// requires approval. If the code lets the user decide without a default, the
// default of the approved tier applies.
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
		return string(registry.RequiresApproval) + " (it has no explicit tier)"
	case a.Default != "":
		return fmt.Sprintf("%s with %s as its default", jsondoc.Printable(string(a.Tier)), jsondoc.Printable(string(a.Default)))
	}
	return string(a.Tier)
}

// untiered reports an active tool without an approval tier in the code, if the code
// sets tiers for others.
func (c *checker) untiered(e registry.Entry) {
	if len(c.tiered) == 0 || c.tiered[e.Subject] || !e.Active() || e.Definition.Tool.Kind != registry.ActionTool {
		return
	}
	at, met := c.registered[e.Subject]
	if !met && (c.scope.Partial || c.upstream(e) || c.kinds[registry.ActionTool]) {
		return // reported as missing in the code
	}
	if !met {
		at = Finding{Name: e.Subject.ID, Subject: e.Subject}
	}
	c.add(missingTier, at, "The code sets approval tiers, but none for %s.", e.Subject)
}

// label returns the name of the server or file that a tool was imported from, or
// "".
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

// find returns the tool with the given name in the code. own reports whether name
// is its wire name, and not an alias or an internal id. differs returns the keys in
// which the code differs from a tool, and is nil for formats without definitions.
//
// Two tools can have the same name: an imported one, which keeps the name of its
// server, and one with that id. find prefers the tool that agrees with the code. If
// none does, it prefers the imported tool to a global id, because servers do not
// know the shipped tools. If the scope has a server, only its tools count.
func (c *checker) find(ctx context.Context, name string, format wire.Format, differs func(registry.Entry) []string) (e registry.Entry, own, known bool, err error) {
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

// sameFormat returns 1 if a tool was imported from the format, and otherwise 0.
func sameFormat(e registry.Entry, f wire.Format) int {
	if src := e.Definition.Tool.Source; src != nil && src.Type == f.SourceType() {
		return 1
	}
	return 0
}
