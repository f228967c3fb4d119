// Package engine has what the store and its two engines, store/sqlite and
// store/pg, name alike: the errors of a database, what a connection is for, a
// connection with its prepared statements, and pieces of SQL. What the engines
// implement are the parts of session.Engine.
package engine
