package checkpoint_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"toolcrib/signing/checkpoint"
)

// vectors are known results of RFC 6962: roots of trees, and proofs.
type vectors struct {
	Leaves    []string `json:"leaves"` // in hexadecimal
	Roots     []string `json:"roots"`  // by size
	Inclusion []struct {
		Leaf  int64    `json:"leaf"`
		Size  int64    `json:"size"`
		Proof []string `json:"proof"`
	} `json:"inclusion"`
	Consistency []struct {
		Old   int64    `json:"old"`
		Size  int64    `json:"size"`
		Proof []string `json:"proof"`
	} `json:"consistency"`
}

// TestKnownAnswers compares roots and proofs with those that other implementations
// of RFC 6962 publish.
func TestKnownAnswers(t *testing.T) {
	text, err := os.ReadFile("testdata/rfc6962.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	var tree checkpoint.Tree
	var log checkpoint.Log
	roots := []tlog.Hash{tree.Root()}
	for _, leaf := range v.Leaves {
		data, err := hex.DecodeString(leaf)
		if err != nil {
			t.Fatal(err)
		}
		tree.AddLeaf(tlog.RecordHash(data))
		if err := log.AddLeaf(tlog.RecordHash(data)); err != nil {
			t.Fatal(err)
		}
		roots = append(roots, tree.Root())
	}
	if got := inHex(roots); !slices.Equal(got, v.Roots) {
		t.Errorf("the heads are\n%q; want\n%q", got, v.Roots)
	}
	for _, one := range v.Inclusion {
		if proof, err := log.ProveEvent(one.Size, one.Leaf+1); err != nil || !slices.Equal(inHex(proof), one.Proof) {
			t.Errorf("leaf %d of %d: %q, %v; want %q", one.Leaf, one.Size, inHex(proof), err, one.Proof)
		}
	}
	for _, one := range v.Consistency {
		proof, err := log.ProveGrowth(one.Size, one.Old)
		if err != nil || !slices.Equal(inHex(proof), one.Proof) {
			t.Errorf("%d after %d: %q, %v; want %q", one.Size, one.Old, inHex(proof), err, one.Proof)
		}
		now, old := checkpoint.Checkpoint{Size: one.Size, Root: roots[one.Size]}, checkpoint.Checkpoint{Size: one.Old, Root: roots[one.Old]}
		if err := now.CheckGrowth(old, proof); err != nil {
			t.Errorf("%d after %d: %v", one.Size, one.Old, err)
		}
	}
}

func inHex(hashes []tlog.Hash) []string {
	all := make([]string, 0, len(hashes))
	for _, h := range hashes {
		all = append(all, hex.EncodeToString(h[:]))
	}
	return all
}
