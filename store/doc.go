// Package store opens a database in a SQLite file or on a PostgreSQL server. It assembles the
// packages below it into stores. The packages review, history, and gateway declare the
// interfaces of these stores. Only the packages below store import database/sql and contain
// SQL. From the bottom up, they are:
//
//   - engine defines what both engines share; sqlite and pg implement the engines;
//   - session runs transactions, and table describes the tables;
//   - records, catalog, queue, calls, assistant, and workspaces each store one family of tables;
//   - verification cross-checks all tables.
//
// Writes use one connection. Reads use a few other connections, each with a snapshot. Each
// connection prepares a statement once. A transaction waits up to half a minute for a busy
// database and then fails with ErrBusy.
package store
