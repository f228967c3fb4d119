// Package storetest opens databases for tests: real files in a folder of the
// test's own, stamped by a clock and ids that are the same in every run, with
// proposals to fill them and a look at every row in them.
package storetest
