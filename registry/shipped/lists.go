package shipped

import (
	"fmt"
	"slices"
	"sync"

	"toolcrib/registry"
	"toolcrib/registry/jsondoc"
)

// Lists returns the shipped allow-lists, in the order in which they are
// documented. They belong to the global layer and change through proposals; the
// registry knows the list in force. The result is shared; do not change it.
func Lists() []registry.Definition { return slices.Clone(lists()) }

// List returns the shipped allow-list of the given id.
func List(id string) (registry.AllowList, bool) {
	all := lists()
	i := slices.IndexFunc(all, func(d registry.Definition) bool { return d.ID() == id })
	if i < 0 {
		return registry.AllowList{}, false
	}
	return all[i].List.AllowList(), true
}

var lists = sync.OnceValue(func() []registry.Definition {
	const name = "lists.json"
	n, err := jsondoc.Parse(read(name), jsondoc.DefaultLimits)
	if err != nil {
		panic(fmt.Sprintf("shipped: %s: %v", name, err))
	}
	all := make([]registry.Definition, len(n.Items))
	for i, item := range n.Items {
		d, ps := registry.BindDefinition(registry.KindList, item, jsondoc.Index(jsondoc.Root, i))
		if ps != nil {
			panic(fmt.Sprintf("shipped: %s: %v", name, ps))
		}
		all[i] = d
	}
	return all
})
