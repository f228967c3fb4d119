// Package generated compares files that are generated from the source with their expected content, and writes them if
// tests run with -update. Only tests import it. `make generate` runs all such tests in the order of the dependencies
// between the files.
package generated

import (
	"bytes"
	"flag"
	"os"
	"testing"

	_ "github.com/charmbracelet/x/exp/golden" // defines -update, for its own files as well
)

// Updating reports whether this run writes generated files instead of checking them.
func Updating() bool { return flag.Lookup("update").Value.String() == "true" }

// Check compares a generated file with its intended content. With -update it writes the
// file if the content differs.
func Check(t testing.TB, file string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err == nil && bytes.Equal(got, want) {
		return
	}
	if !Updating() {
		t.Fatalf("%s is out of date (%v); run: make generate\nwant:\n%s", file, err, excerpt(got, want))
	}
	Write(t, file, want)
}

// Write writes a generated file that Check cannot compare byte for byte, such as a
// compressed one.
func Write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // a source file
		t.Fatal(err)
	}
	t.Logf("wrote %s", file)
}

// excerpt returns the lines of want around the first difference from got.
func excerpt(got, want []byte) []byte {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := bytes.LastIndexByte(want[:at], '\n') + 1
	return want[from:min(len(want), from+800)]
}
