// Package store keeps everything in one SQLite file. It is the only importer
// of database/sql and the only place with SQL: it implements the interfaces
// that review and history declare, so another engine can take its place.
//
// Writes go through one connection, in BEGIN IMMEDIATE transactions with
// synchronous=FULL; reads through a few query_only connections on snapshots of
// the write-ahead log. Statements are prepared once per connection. Whoever finds
// the file busy waits for half a minute (busy.go) before giving up with
// ErrBusy.
package store
