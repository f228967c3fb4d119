package conform

import (
	"context"
	"slices"
	"strings"

	"toolcrib/registry"
	"toolcrib/registry/wire"
)

// label returns the name of the server or file that a tool comes from, "" for a
// tool that was written here.
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

// goesBy reports whether name is the one that a tool has where it comes from, or
// the one that exports give it.
func goesBy(e registry.Entry, name string) bool {
	t := e.Definition.Tool
	return t.OriginName() == name || t.WireName() == name
}

// index collects the tools that have other names than their ids.
func (c *checker) index() {
	c.wired = map[string][]registry.Entry{}
	for _, e := range c.scope.Catalog.Tools() {
		t := e.Definition.Tool
		names := []string{t.OriginName(), t.WireName()}
		for _, name := range slices.Compact(names) {
			if name != "" && name != t.ID {
				c.wired[name] = append(c.wired[name], e)
			}
		}
	}
}

// find returns the tool that the code means by name; own reports that this is its
// wire name, not an alias or an internal id. differs returns how a tool differs
// from the registered one; nil for a format without definitions.
//
// Two tools can have one name: an imported one, which keeps the name it has on its
// server, and one with that id. The one that agrees with the code is meant; when
// none does, the imported one is preferred to a global id, as a server does not
// know the shipped tools. With a server named, only its tools are meant.
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
	return e, goesBy(e, name), true, nil
}

// sameFormat is 1 when a tool was imported from the format, else 0.
func sameFormat(e registry.Entry, f wire.Format) int {
	if src := e.Definition.Tool.Source; src != nil && src.Type == f.SourceType() {
		return 1
	}
	return 0
}
