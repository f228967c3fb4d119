package shipped

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"toolcrib/registry"
)

// Hashes returns the content hash of everything that toolcrib ships, as
// registry.Definition.Hash computes it. It reads them from data/shipped.sums,
// which is much cheaper than the definitions, and from data/core.sums.
func Hashes() map[registry.Subject]string { return maps.Clone(hashes()) }

var hashes = sync.OnceValue(func() map[registry.Subject]string {
	all := map[registry.Subject]string{}
	for id, hash := range coreSums().hashes {
		all[registry.Subject{Kind: registry.KindTool, Layer: registry.LayerGlobal, ID: id}] = hash
	}
	for line := range strings.Lines(string(read("shipped.sums"))) {
		text, hash, _ := strings.Cut(strings.TrimSpace(line), " ")
		subject, err := registry.ParseSubject(text)
		if err != nil {
			panic(fmt.Sprintf("shipped: shipped.sums: %v", err))
		}
		all[subject] = hash
	}
	return all
})
