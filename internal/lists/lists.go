// Package lists provides functions on slices that package slices does not contain.
package lists

import (
	"fmt"
	"slices"
	"strings"
)

// Map returns the results of calling fn for each item of list. The result is never nil.
func Map[T, D any](list []T, fn func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = fn(item)
	}
	return all
}

// Filter returns the items of list for which keep returns true, or nil if there are none.
func Filter[T any](list []T, keep func(T) bool) (kept []T) {
	for _, item := range list {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// First joins the first names with commas, at most limit. If there are more, it adds the
// number of the remaining names, as in "a, b, and 3 more".
func First(names []string, limit int) string {
	if more := len(names) - limit; more > 0 {
		names = append(names[:limit:limit], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// Union appends each item to list unless the list already contains the item. It returns
// the extended list.
func Union[T comparable](list, items []T) []T {
	for _, item := range items {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// Index returns a map with an entry for each item of list. entry returns the key and the
// value for an item. If several items have the same key, the map contains the value for
// the last of these items.
func Index[T any, K comparable, V any](list []T, entry func(T) (K, V)) map[K]V {
	all := make(map[K]V, len(list))
	for _, item := range list {
		key, value := entry(item)
		all[key] = value
	}
	return all
}

// Set returns the set of the keys of the items in list. key returns the key of an item.
func Set[T any, K comparable](list []T, key func(T) K) map[K]bool {
	return Index(list, func(item T) (K, bool) { return key(item), true })
}
