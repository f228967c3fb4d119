// Package engine defines the types and errors that the packages of the store share with the two
// engines, store/sqlite and store/pg. They include the connection with its prepared statements, the
// uses of connections, and fragments of SQL. The interface that the engines implement is
// session.Engine.
package engine
