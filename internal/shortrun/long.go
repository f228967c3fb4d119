package shortrun

import (
	"flag"
	"os"
	"testing"
)

// longVariable asks for the long run when it is not empty: .ci/run and make long
// set it.
const longVariable = "TOOLCRIB_TEST_LONG"

// NeedsLong skips t in a plain run. It begins the tests that take many seconds:
// batteries that kill processes and servers, walks in a real terminal, floods.
func NeedsLong(t testing.TB) {
	t.Helper()
	if os.Getenv(longVariable) == "" {
		t.Skip("takes long; set " + longVariable + "=1")
	}
}

// Every returns 1 in a long run, and otherwise n: of its many cases a test takes
// every n-th in a plain run. A run that writes golden files (-update) takes all.
func Every(n int) int {
	update := flag.Lookup("update")
	if os.Getenv(longVariable) != "" || update != nil && update.Value.String() == "true" {
		return 1
	}
	return n
}
