// Package engine defines what the store and its two engines, store/sqlite and store/pg, share: the errors of a
// database, the uses of a connection, a connection with its prepared statements, and fragments of SQL. The interfaces
// of the engines are in session.Engine.
package engine
