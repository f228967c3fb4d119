package rules

import (
	"reflect"
	"sync"
)

// Computed returns compute(c), computed once for each type T, so that the rules of
// a family share their common inputs; T is a type of theirs.
func Computed[T any](c *Change, compute func(*Change) T) T {
	key := reflect.TypeFor[T]()
	once, known := c.computed.Load(key)
	if !known {
		once, _ = c.computed.LoadOrStore(key, sync.OnceValue(func() T { return compute(c) }))
	}
	return once.(func() T)() //nolint:forcetypeassert // T is the key
}
