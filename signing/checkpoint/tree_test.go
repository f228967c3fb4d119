package checkpoint_test

import (
	"errors"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/signing/checkpoint"
)

// TestTree compares the tree with the definition, after saving and loading it at
// every size.
func TestTree(t *testing.T) {
	var tree checkpoint.Tree
	for n := int64(0); n <= 130; n++ {
		if tree.Size() != n || tree.Root() != head(events(n)) {
			t.Fatalf("%d events: %d, %s", n, tree.Size(), tree.Root())
		}
		saved, err := tree.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var loaded checkpoint.Tree
		if err := loaded.UnmarshalText(saved); err != nil || loaded.Root() != tree.Root() {
			t.Fatalf("%d events, saved as %s: %v", n, saved, err)
		}
		tree = loaded
		if err := tree.Append(event(n + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tree.Append("not a hash"); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("no hash: %v", err)
	}
	for _, wrong := range []string{"", "x", "-1", "1", "0 " + tlog.Hash{}.String(), "3 " + tlog.Hash{}.String(), "1 AA=="} {
		if err := tree.UnmarshalText([]byte(wrong)); !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%q is a tree: %v", wrong, err)
		}
	}
}

// TestLog compares the roots of a log at every earlier size with the definition.
func TestLog(t *testing.T) {
	const most = 24
	var log checkpoint.Log
	for n := int64(1); n <= most; n++ {
		if err := log.Append(event(n)); err != nil {
			t.Fatal(err)
		}
		for size := int64(1); size <= n; size++ {
			if root, err := tlog.TreeHash(size, &log); err != nil || root != at(size).Root {
				t.Fatalf("%d of %d events: %s, %v", size, n, root, err)
			}
		}
	}
	if _, err := tlog.TreeHash(most+1, &log); !errors.Is(err, checkpoint.ErrShorter) {
		t.Errorf("a root of the future: %v", err)
	}
	if err := log.Append("x"); !errors.Is(err, checkpoint.ErrMalformed) {
		t.Errorf("no hash: %v", err)
	}
}

func BenchmarkTree(b *testing.B) {
	hash := event(1)
	var tree checkpoint.Tree
	for b.Loop() {
		if err := tree.Append(hash); err != nil {
			b.Fatal(err)
		}
	}
}
