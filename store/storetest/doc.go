// Package storetest opens databases for tests. They are files in temporary folders, or databases on a PostgreSQL
// server, with a clock and ids that are identical in each run. The package also provides proposals and functions that
// read or modify rows directly.
package storetest
