//go:build !race

package store_test

import "toolcrib/internal/shortrun"

// stride makes tests with many cases run only every stride-th case. With the race detector, which slows the engine down
// by a factor of twenty, there are always few.
var stride = shortrun.Every(20)
