// This file defines the interfaces that are used to render prompts.

package impact

import (
	"context"

	"toolcrib/registry"
)

// Registry finds the definitions that are needed to render prompts.
type Registry interface {
	// Live returns the live definition of a subject, even if it is deactivated.
	Live(ctx context.Context, s registry.Subject) (registry.Live, error)
	// ByName implements registry.Finder.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// InCategory returns the live tools of all layers in the given category.
	InCategory(ctx context.Context, category string) ([]registry.Live, error)
	// OfKind implements registry.Finder.
	OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) ([]registry.Live, error)
	// Heads returns the same tools as OfKind, in any order. The returned definitions contain only the id, the kind, and
	// the status. Their versions and hashes are not set. size is the total length of the full definitions as JSON, in
	// bytes.
	Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, limit int) (heads []registry.Live, size int, err error)
	// Lists returns the live allow-lists of all layers.
	Lists(ctx context.Context) ([]registry.Live, error)
	// Agents returns the live agents of all layers.
	Agents(ctx context.Context) ([]registry.Live, error)
}

// ToolReader finds the definitions of the tools that a call may refer to.
type ToolReader interface {
	stateReader
	// ByWire returns the live tools in all layers with the given wire name, and the live tools that have the given name
	// on their server or in their file.
	ByWire(ctx context.Context, name string) ([]registry.Live, error)
	// FromServer returns the live tools in all layers that were imported from the server or file
	// called name.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
}
