// Package lists has functions on slices that package slices lacks.
package lists

// Map returns the results of calling to for each item of list. The result is never nil.
func Map[T, D any](list []T, to func(T) D) []D {
	all := make([]D, len(list))
	for i, item := range list {
		all[i] = to(item)
	}
	return all
}
