// Package shortrun selects the tests to skip. A short run (go test -race -short) skips
// slow tests of code that runs in a single goroutine. The race detector cannot find
// anything in such code, but slows down the database engine about twentyfold. Only a long
// run includes tests that need many seconds.
package shortrun

import (
	"flag"
	"os"
	"testing"
)

// OneGoroutine skips t in a short run. A slow test calls it at the start if at most one
// goroutine runs at a time, in this process and in child processes.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow test of code in a single goroutine")
	}
}

// longVariable is the environment variable that requests a long run. .ci/run and make
// long set it.
const longVariable = "TOOLCRIB_TEST_LONG"

// NeedsLong skips t unless a long run is requested. Tests that need many seconds call it
// at the start, for example tests that kill processes, use a real terminal, or flood a
// server.
func NeedsLong(t testing.TB) {
	t.Helper()
	if os.Getenv(longVariable) == "" && !updating() {
		t.Skip("slow test; set " + longVariable + "=1")
	}
}

// Every returns the step for a loop over many test cases: 1 in a long run or with
// -update, and n in other runs. With -update, golden files must cover all cases.
func Every(n int) int {
	if os.Getenv(longVariable) != "" || updating() {
		return 1
	}
	return n
}

// updating reports whether the tests run with -update. Such a run writes generated files,
// which must be complete.
func updating() bool {
	update := flag.Lookup("update")
	return update != nil && update.Value.String() == "true"
}
