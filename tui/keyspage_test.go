package tui_test

import (
	"flag"
	"os"
	"testing"

	"toolcrib/tui"
)

// TestKeysPage checks docs/keys.md against the table of keys; -update writes
// it.
func TestKeysPage(t *testing.T) {
	const file = "../docs/keys.md"
	want := tui.KeysPage()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the keys are; go test ./tui -run TestKeysPage -update", file)
	}
}
