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

// TestProofs proves every event of every log and every consistency of two sizes,
// and checks each proof against other events and sizes.
func TestProofs(t *testing.T) {
	const most = 24
	var log checkpoint.Log
	for n := int64(1); n <= most; n++ {
		if err := log.Append(event(n)); err != nil {
			t.Fatal(err)
		}
	}
	for size := int64(1); size <= most; size++ {
		now := at(size)
		for n := int64(1); n <= size; n++ {
			proof, err := log.ProveEvent(size, n)
			if err != nil || now.CheckEvent(n, event(n), proof) != nil {
				t.Fatalf("event %d of %d: %v, %v", n, size, err, now.CheckEvent(n, event(n), proof))
			}
			if err := now.CheckEvent(n, event(n+1), proof); !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("another event %d of %d: %v", n, size, err)
			}
			if err := now.CheckEvent(n%size+1, event(n), proof); size > 1 && !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("event %d of %d at another place: %v", n, size, err)
			}
			growth, err := log.ProveGrowth(size, n)
			if err != nil || now.CheckGrowth(at(n), growth) != nil {
				t.Fatalf("%d events after %d: %v, %v", size, n, err, now.CheckGrowth(at(n), growth))
			}
			other := at(n)
			other.Root[0] ^= 1
			if err := now.CheckGrowth(other, growth); !errors.Is(err, checkpoint.ErrProof) {
				t.Fatalf("%d events after another %d: %v", size, n, err)
			}
		}
	}
	elsewhere := at(3)
	elsewhere.Genesis = event(2)
	if err := at(5).CheckGrowth(elsewhere, nil); !errors.Is(err, checkpoint.ErrProof) {
		t.Errorf("growth from another log: %v", err)
	}
	for name, prove := range map[string]func() error{
		"an event of the future": func() error { _, err := log.ProveEvent(most+1, most+1); return err },
		"event 0":                func() error { _, err := log.ProveEvent(most, 0); return err },
		"growth to the future":   func() error { _, err := log.ProveGrowth(most+1, 2); return err },
		"growth from nothing":    func() error { _, err := log.ProveGrowth(most, 0); return err },
		"no hash":                func() error { return at(3).CheckEvent(1, "x", nil) },
	} {
		if err := prove(); !errors.Is(err, checkpoint.ErrProof) && !errors.Is(err, checkpoint.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
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
