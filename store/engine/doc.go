// Package engine defines what the store shares with its two engines, store/sqlite and store/pg:
// errors, purposes of connections, a connection with prepared statements, and fragments of SQL. The
// interface of the engines is session.Engine.
package engine
