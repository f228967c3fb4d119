//go:build !race

package store_test

import "toolcrib/internal/shortrun"

// stride says which of many cases a test takes: every so many. The race detector
// makes the engine twenty times slower, so that with it a few have to do.
var stride = shortrun.Every(8)
