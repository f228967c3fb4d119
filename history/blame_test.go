package history_test

import (
	"slices"
	"testing"

	"toolcrib/history"
	"toolcrib/registry/jsondoc"
)

func TestBlame(t *testing.T) {
	blame := history.NewBlame("prompt")
	for i, prompt := range []string{
		"Read the scene.\nBe brief.",
		"Read the scene.\nBe brief.\nCite lines.",
		"Read the whole scene.\nBe brief.\nCite lines.",
		"Be brief.\nCite lines.\nRead the whole scene.",
	} {
		definition, err := jsondoc.Marshal(map[string]string{"prompt": prompt})
		if err != nil {
			t.Fatal(err)
		}
		if err := blame.Add(history.Version{Number: i + 1, Definition: definition}); err != nil {
			t.Fatal(err)
		}
	}
	want := []history.BlameLine{{Text: "Be brief.", Version: 1}, {Text: "Cite lines.", Version: 2}, {Text: "Read the whole scene.", Version: 4}}
	if got := blame.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBlameOfOtherValues(t *testing.T) {
	blame := history.NewBlame("approval")
	for i, definition := range []string{`{}`, `{"approval":{"tier":"auto_approve"}}`, `{"approval":{"default":"auto_approve","tier":"user_configurable"}}`} {
		if err := blame.Add(history.Version{Number: i + 1, Definition: []byte(definition)}); err != nil {
			t.Fatal(err)
		}
	}
	want := []history.BlameLine{{Text: "{", Version: 2}, {Text: `  "default": "auto_approve",`, Version: 3}, {Text: `  "tier": "user_configurable"`, Version: 3}, {Text: "}", Version: 2}}
	if got := blame.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
