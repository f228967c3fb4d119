package checkpoint

import "golang.org/x/mod/sumdb/tlog"

// AddLeaf adds the hash of a leaf of another kind of log.
func (t *Tree) AddLeaf(h tlog.Hash) { t.add(h) }

// AddLeaf adds the hash of a leaf of another kind of log.
func (l *Log) AddLeaf(h tlog.Hash) error { return l.add(h) }
