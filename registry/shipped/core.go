package shipped

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"toolcrib/registry"
)

// sums is the content of data/core.sums: a line "<id> <content hash>" for each core
// tool.
type sums struct {
	ids    []string // in the order of the file
	hashes map[string]string
}

var coreSums = sync.OnceValue(func() sums {
	s := sums{hashes: map[string]string{}}
	for line := range strings.Lines(string(read("core.sums"))) {
		id, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.ids = append(s.ids, id)
		s.hashes[id] = hash
	}
	return s
})

// IsCore reports whether id is that of a core tool, which cannot be changed,
// overridden or taken as an alias in any layer.
func IsCore(id string) bool {
	_, ok := coreSums().hashes[id]
	return ok
}

// CoreHashes returns the content hash of every core tool by id, as
// registry.Definition.Hash computes it.
func CoreHashes() map[string]string { return maps.Clone(coreSums().hashes) }

// Core returns the core tools in the order in which they are
// documented.
func Core() []registry.Definition { return slices.Clone(core()) }

var core = sync.OnceValue(func() []registry.Definition {
	var tools []registry.Definition
	for _, id := range coreSums().ids {
		tools = append(tools, readMarkdown(registry.KindTool, "core/"+id+".md"))
	}
	return tools
})
