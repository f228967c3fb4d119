// Package shortrun decides which tests to skip in short and plain runs. Use -short
// with the race detector (go test -race -short): it slows the database engine down
// about twentyfold and cannot find anything in code that runs in one goroutine.
package shortrun

import (
	"flag"
	"os"
	"testing"
)

// OneGoroutine skips t in a short run. Call it at the start of slow tests whose
// code runs in one goroutine at a time, in this process or in its children. A plain
// run includes them.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long and runs in one goroutine")
	}
}

// longVariable is the environment variable that requests the long run. .ci/run and
// make long set it.
const longVariable = "TOOLCRIB_TEST_LONG"

// NeedsLong skips t unless the long run is requested. Call it at the start of tests
// that take many seconds, such as tests that kill processes, use a real terminal,
// or flood a server.
func NeedsLong(t testing.TB) {
	t.Helper()
	if os.Getenv(longVariable) == "" && !updating() {
		t.Skip("takes long; set " + longVariable + "=1")
	}
}

// Every returns 1 in a long run and n otherwise: a test with many cases runs every
// n-th of them in a plain run. A run with -update, which writes golden files,
// covers all cases.
func Every(n int) int {
	if os.Getenv(longVariable) != "" || updating() {
		return 1
	}
	return n
}

// updating reports whether this run writes generated files (-update), which must be
// complete.
func updating() bool {
	update := flag.Lookup("update")
	return update != nil && update.Value.String() == "true"
}
