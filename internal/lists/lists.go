// Package lists has functions on slices that package slices lacks.
package lists

import "slices"

// Map returns the results of calling to for each item of list. The result is never nil.
func Map[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}

// Filter returns the items of a list that keep accepts, or nil if it accepts none.
func Filter[T any](list []T, keep func(T) bool) (kept []T) {
	for _, item := range list {
		if keep(item) {
			kept = append(kept, item)
		}
	}
	return kept
}

// Union appends the items of more that list lacks, each once.
func Union[T comparable](list, more []T) []T {
	for _, item := range more {
		if !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// Index returns a map with an entry for each item of a list. Of items with the same key
// the last one counts.
func Index[T any, K comparable, V any](list []T, entry func(T) (K, V)) map[K]V {
	all := make(map[K]V, len(list))
	for _, item := range list {
		key, value := entry(item)
		all[key] = value
	}
	return all
}

// Set returns the set of the keys of a list.
func Set[T any, K comparable](list []T, key func(T) K) map[K]bool {
	return Index(list, func(item T) (K, bool) { return key(item), true })
}
