// Package engine defines what the packages of the store and the two engines, store/sqlite and
// store/pg, have in common: errors, uses of connections, a connection with prepared statements, and
// fragments of SQL. The interface that the engines implement is session.Engine.
package engine
