package shipped

import (
	"slices"
	"sync"

	"toolcrib/registry"
)

// AllowLists returns the allow-lists that agents can refer to by name. Nobody
// changes what is in them: they are shared.
func AllowLists() []registry.AllowList { return slices.Clone(allowLists()) }

// AllowList returns the allow-list with the given name.
func AllowList(name string) (registry.AllowList, bool) {
	lists := allowLists()
	i := slices.IndexFunc(lists, func(l registry.AllowList) bool { return l.Name == name })
	if i < 0 {
		return registry.AllowList{}, false
	}
	return lists[i], true
}

var allowLists = sync.OnceValue(func() []registry.AllowList {
	var lists []registry.AllowList
	readJSON("allowlists.json", &lists)
	return lists
})
