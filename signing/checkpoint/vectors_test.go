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

// vectors are known results of RFC 6962: roots of trees.
type vectors struct {
	Leaves []string `json:"leaves"` // in hexadecimal
	Roots  []string `json:"roots"`  // by size
}

// TestKnownAnswers compares roots with those that other implementations
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
	roots := []tlog.Hash{tree.Root()}
	for _, leaf := range v.Leaves {
		data, err := hex.DecodeString(leaf)
		if err != nil {
			t.Fatal(err)
		}
		tree.AddLeaf(tlog.RecordHash(data))
		roots = append(roots, tree.Root())
	}
	if got := inHex(roots); !slices.Equal(got, v.Roots) {
		t.Errorf("the heads are\n%q; want\n%q", got, v.Roots)
	}
}

func inHex(hashes []tlog.Hash) []string {
	all := make([]string, 0, len(hashes))
	for _, h := range hashes {
		all = append(all, hex.EncodeToString(h[:]))
	}
	return all
}
