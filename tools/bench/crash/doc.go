// Package crash batters toolcrib as whole processes on real files: killed at
// random moments and between any two statements, cut off from power, out of
// disk, on damaged files, with a clock that lies, many at once. After each
// blow nothing that was acknowledged is lost, nothing is applied twice or
// half, and verify is clean or names the damage.
//
// go test runs a short battery; make crash runs the whole one and prints the results
// as a table.
package crash
