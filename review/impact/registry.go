// This file defines the views of the registry that rendering needs.

package impact

import (
	"context"

	"toolcrib/registry"
)

// Registry finds the definitions for rendering prompts.
type Registry interface {
	// Live returns the live definition of a subject, even if it is deactivated.
	Live(ctx context.Context, s registry.Subject) (registry.Live, error)
	// ByName is registry.Finder.ByName.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// InCategory returns the live tools of a category in any layer.
	InCategory(ctx context.Context, category string) ([]registry.Live, error)
	// OfKind is registry.Finder.OfKind.
	OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error)
	// Heads returns the same tools as OfKind, in any order, but only the id, the kind, and the
	// status of their definitions, and without version and hash. size is the total length in bytes
	// of the full definitions as JSON.
	Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) (heads []registry.Live, size int, err error)
	// Lists returns every live allow-list, in any layer.
	Lists(ctx context.Context) ([]registry.Live, error)
	// Agents returns every live agent, in any layer.
	Agents(ctx context.Context) ([]registry.Live, error)
}

// ToolReader finds the definitions that affect a call of a tool.
type ToolReader interface {
	stateReader
	// ByWire returns the live tools in any layer with the given wire name, or with this name on
	// their server or in their file.
	ByWire(ctx context.Context, name string) ([]registry.Live, error)
	// FromServer returns the live tools in any layer that were imported from the server or file
	// with the given name.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
}
