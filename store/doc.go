// Package store opens a database, in a SQLite file or on PostgreSQL, and assembles the packages
// below it into the stores that review, history, and gateway declare. Only these packages import
// database/sql and contain SQL. From the bottom:
//
//   - engine defines what both engines share; sqlite and pg implement the engines;
//   - session runs transactions, and table describes tables;
//   - records, catalog, queue, calls, assistant, and workspaces each store one family of tables;
//   - verification cross-checks all tables.
//
// Writes use one connection; reads use a few others with snapshots. Statements are prepared once
// per connection. A transaction waits up to half a minute for a busy database and then fails with
// ErrBusy.
package store
