package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"toolcrib/registry"
)

// CatalogGroup is the part of a catalog that is in one layer and comes from one
// server or file.
type CatalogGroup struct {
	Layer  registry.Layer
	Source string // "" for definitions that were not imported
}

// GroupCount is a group with the number of its entries.
type GroupCount struct {
	CatalogGroup
	Count int
}

func groupOf(e CatalogEntry) CatalogGroup { return CatalogGroup{e.Subject.Layer, e.Source} }

// CatalogGroups counts the entries of the catalog of q by group: the weakest layer
// first, then by source. Limit, After and Group of q do not count.
func (db *DB) CatalogGroups(ctx context.Context, q CatalogQuery) ([]GroupCount, error) {
	q.After, q.Group = "", nil
	counts := map[CatalogGroup]int{}
	err := db.view(ctx, func(s *session) error {
		clear(counts) // it may run again
		query, args := q.rows(entryColumns, "")
		return q.eachMerged(func(fn func(CatalogEntry) error) error { return s.eachEntry(ctx, q, query, args, fn) }, func(es []CatalogEntry) error {
			for _, e := range es {
				counts[groupOf(e)]++
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	groups := slices.SortedFunc(maps.Keys(counts), func(a, b CatalogGroup) int {
		return cmp.Or(cmp.Compare(slices.Index(q.View, a.Layer), slices.Index(q.View, b.Layer)), cmp.Compare(a.Source, b.Source))
	})
	out := make([]GroupCount, len(groups))
	for i, g := range groups {
		out[i] = GroupCount{g, counts[g]}
	}
	return out, nil
}
