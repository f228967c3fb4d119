// Package crash tests whether toolcrib survives failures. It runs whole processes on real files and kills them
// at random moments and between statements. It also simulates power failures, full disks, damaged files, wrong
// clocks, and many concurrent processes. After each failure, it checks that no acknowledged change was lost,
// that no change was applied twice or in part, and that toolcrib verify finds no damage or reports the damage.
//
// go test runs a small part of the tests. make crash runs all of them and prints the results as a table.
package crash
