package overlaps

import (
	"bytes"
	"encoding/gob"
	"reflect"
	"testing"

	"toolcrib/internal/generated"
	"toolcrib/registry"
	"toolcrib/registry/shipped"
	"toolcrib/review/overlap"
)

// TestCoreWords checks that the embedded words of the core tools are current.
func TestCoreWords(t *testing.T) {
	tools := func(ds []registry.Definition) (list []registry.Tool) {
		for _, d := range ds {
			list = append(list, *d.Tool)
		}
		return list
	}
	want := overlap.WordsOf(tools(shipped.Core()), tools(shipped.Assistant()))
	var got overlap.CorpusWords
	if err := gob.NewDecoder(bytes.NewReader(coreWords)).Decode(&got); err == nil && reflect.DeepEqual(got, want) {
		return
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(want); err != nil {
		t.Fatal(err)
	}
	generated.Check(t, "core_words.gob", b.Bytes())
}
