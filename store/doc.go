// Package store opens a database, a SQLite file or one in PostgreSQL, and assembles the
// packages below it into the stores that review, history, and gateway declare. They are the
// only importers of database/sql and the only place with SQL. From the bottom:
//
//   - engine has what the engines share, sqlite and pg are the engines;
//   - session runs transactions, table describes tables;
//   - records, catalog, queue, calls, assistant, and workspaces have a family of tables each;
//   - verification compares all of them.
//
// Writes go through one connection, reads through a few others on snapshots. Statements
// are prepared once per connection. Whoever finds the database busy waits for half a
// minute before giving up with ErrBusy.
package store
