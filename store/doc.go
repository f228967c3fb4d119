// Package store keeps everything in a SQLite file or in PostgreSQL. It is the only
// importer of database/sql and the only place with SQL: it implements the interfaces
// that review, history, and gateway declare.
//
// A session is one connection in a transaction. Each family of tables has a type that is
// built on it (proposalTables, recordTables, versionTables, …); tx assembles them for the
// review service, callTx for the gateway, and owned is the session of one owner of the
// assistant's tools. A function beside each table describes its columns once: SELECT,
// INSERT, Scan, and the fields of a seal come from it (columns). What a consistency check
// compares stands in consistency/*.sql.
//
// Writes go through one connection, reads through a few others on snapshots. Statements
// are prepared once per connection. Whoever finds the database busy waits for half a
// minute before giving up with ErrBusy.
package store
