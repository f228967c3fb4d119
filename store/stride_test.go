//go:build !race

package store_test

import "toolcrib/internal/shortrun"

// stride makes a test with many cases run every stride-th of them. The race detector
// slows the engine down twentyfold, so it always runs few.
var stride = shortrun.Every(20)
