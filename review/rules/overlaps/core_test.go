package overlaps

import (
	"bytes"
	"encoding/gob"
	"flag"
	"os"
	"reflect"
	"testing"

	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/overlap"
)

var update = flag.Bool("update", false, "write core_words.gob again")

// TestCoreWords holds the embedded words of the core against the tools that are shipped.
func TestCoreWords(t *testing.T) {
	tools := func(ds []registry.Definition) (list []registry.Tool) {
		for _, d := range ds {
			list = append(list, *d.Tool)
		}
		return list
	}
	want := overlap.WordsOf(tools(shipped.Core()), tools(shipped.Assistant()))
	if *update {
		var b bytes.Buffer
		if err := gob.NewEncoder(&b).Encode(want); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("core_words.gob", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	var got overlap.CorpusWords
	if err := gob.NewDecoder(bytes.NewReader(coreWords)).Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the words are not those of the core (%v): go test ./review/rules/overlaps -run CoreWords -update", err)
	}
}
