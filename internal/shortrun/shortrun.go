// Package shortrun decides which tests a short run leaves out. The race detector
// goes with short runs (go test -race -short): it makes the engine of the database
// some twenty times slower, and finds nothing in code that runs in one goroutine.
package shortrun

import "testing"

// OneGoroutine skips t in a short run. It begins the tests whose code takes long
// and runs in one goroutine at a time, in this process or in those that it
// starts: the plain run has all of them.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long and runs in one goroutine")
	}
}
