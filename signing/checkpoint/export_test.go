package checkpoint

import "golang.org/x/mod/sumdb/tlog"

// AddLeaf adds a leaf hash, for logs that hash their entries differently.
func (t *Tree) AddLeaf(h tlog.Hash) { t.add(h) }
