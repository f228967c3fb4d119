// Package shortrun decides which tests a short run leaves out. The race detector
// goes with short runs (go test -race -short): it makes the engine of the database
// some twenty times slower, and finds nothing in code that runs in one goroutine.
package shortrun

import (
	"flag"
	"os"
	"testing"
)

// OneGoroutine skips t in a short run. It begins the tests whose code takes long
// and runs in one goroutine at a time, in this process or in those that it
// starts: the plain run has all of them.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long and runs in one goroutine")
	}
}

// longVariable asks for the long run when it is not empty: .ci/run and make long
// set it.
const longVariable = "TOOLCRIB_TEST_LONG"

// NeedsLong skips t in a plain run. It begins the tests that take many seconds:
// batteries that kill processes and servers, walks in a real terminal, floods.
func NeedsLong(t testing.TB) {
	t.Helper()
	if os.Getenv(longVariable) == "" && !updating() {
		t.Skip("takes long; set " + longVariable + "=1")
	}
}

// Every returns 1 in a long run, and otherwise n: of its many cases a test takes
// every n-th in a plain run. A run that writes golden files (-update) takes all.
func Every(n int) int {
	if os.Getenv(longVariable) != "" || updating() {
		return 1
	}
	return n
}

// updating reports whether the run writes generated files (-update), of which none may
// be left out.
func updating() bool {
	update := flag.Lookup("update")
	return update != nil && update.Value.String() == "true"
}
