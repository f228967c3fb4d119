package impact

import (
	"context"

	"toolcrib/registry"
)

// Registry finds what prompts are made of.
type Registry interface {
	// Live returns the definition in force, deactivated ones included.
	Live(ctx context.Context, s registry.Subject) (registry.Live, error)
	// ByName is that of registry.Finder.
	ByName(ctx context.Context, names ...string) ([]registry.Live, error)
	// InCategory returns the live tools of a category in any layer.
	InCategory(ctx context.Context, category string) ([]registry.Live, error)
	// OfKind is that of registry.Finder.
	OfKind(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) ([]registry.Live, error)
	// Heads returns what OfKind returns, in any order: of the definitions no more than
	// id, kind, and status, and neither version nor hash. It adds how many bytes those
	// definitions have as JSON.
	Heads(ctx context.Context, kind registry.ToolKind, view []registry.Layer, most int) (heads []registry.Live, size int, err error)
	// Lists returns every live allow-list, in any layer.
	Lists(ctx context.Context) ([]registry.Live, error)
	// Agents returns every live agent, in any layer.
	Agents(ctx context.Context) ([]registry.Live, error)
}

// ToolReader finds what a call of a tool depends on.
type ToolReader interface {
	Registry
	// State returns a number that changes whenever Registry may find something else.
	State(ctx context.Context) (int64, error)
	// ByWire returns the live tools, in any layer, that have name as their wire
	// name, or as the one that their server or file has for them.
	ByWire(ctx context.Context, name string) ([]registry.Live, error)
	// FromServer returns the live tools, in any layer, that came from the server or
	// file of a name.
	FromServer(ctx context.Context, name string) ([]registry.Live, error)
}
