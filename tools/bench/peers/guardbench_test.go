package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDefinitions reads the cases that define something, and lays out their texts.
func TestDefinitions(t *testing.T) {
	checkout, work := t.TempDir(), t.TempDir()
	folder := filepath.Join(checkout, "cases", "benign")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"tools": `{"tools":[]}`, "instructions": "Count first.", "prompt": "Count.\n", "empty": "", "call": "-",
	}
	for id, result := range map[string]string{
		"tools": `{"tools":[]}`, "instructions": `{"serverInfo":{},"instructions":"Count first."}`, "prompt": `{"messages":[{"role":"user","content":{"type":"text","text":"Count."}}]}`,
		"empty": `{"serverInfo":{}}`, "call": `{"content":[{"type":"text","text":"3"}]}`,
	} {
		text := `{"id":"` + id + `","expected":{"action":"pass"},"message":{"id":1,"result":` + result + `}}`
		if err := os.WriteFile(filepath.Join(folder, id+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := definitions(checkout, work)
	if err != nil || len(cases) != len(want)-1 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		text := ""
		if c.file != "" {
			b, err := os.ReadFile(filepath.Join(work, c.file))
			if err != nil {
				t.Fatal(err)
			}
			text = string(b)
		}
		if text != want[c.ID] || c.Expected.Action != "pass" {
			t.Errorf("%s: %q, %s", c.ID, text, c.Expected.Action)
		}
	}
}
