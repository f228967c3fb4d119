// Package generated checks that generated files are up to date. If tests run with
// -update, it writes the files instead. Only tests import this package. `make generate`
// runs all tests that generate files, in the order of the dependencies between these
// files.
package generated

import (
	"bytes"
	"flag"
	"os"
	"testing"

	_ "github.com/charmbracelet/x/exp/golden" // defines the flag -update
)

// Updating reports whether the tests run with -update and therefore write generated
// files.
func Updating() bool { return flag.Lookup("update").Value.String() == "true" }

// Check fails the test if the content of the file differs from want. With -update, it
// writes the file instead.
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

// Write writes data to a generated file. It is for files that Check cannot compare byte
// for byte, such as compressed files.
func Write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil { //nolint:gosec // a source file
		t.Fatal(err)
	}
	t.Logf("wrote %s", file)
}

// excerpt returns an excerpt of want, starting at the first line that differs from got.
func excerpt(got, want []byte) []byte {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	from := bytes.LastIndexByte(want[:at], '\n') + 1
	return want[from:min(len(want), from+800)]
}
