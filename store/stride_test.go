//go:build !race

package store_test

// stride says which of many cases a test takes: every so many. The race detector
// makes the engine twenty times slower, so that with it a few have to do.
const stride = 1
