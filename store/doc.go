// Package store opens a database, in a SQLite file or on PostgreSQL, and assembles the packages below it into the
// stores that review, history, and gateway declare. Only these packages import database/sql and contain SQL. From the
// bottom:
//
//   - engine has the parts that both engines share; sqlite and pg are the engines;
//   - session runs transactions, table describes tables;
//   - records, catalog, queue, calls, assistant, and workspaces have a family of tables each;
//   - verification compares all of them.
//
// Writes use one connection, and reads use a few others with snapshots. Statements are prepared once per connection. A
// transaction waits half a minute for a busy database and then fails with ErrBusy.
package store
