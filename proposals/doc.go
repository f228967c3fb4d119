// Package proposals holds what is proposed and how it moves: the proposal with
// its immutable revisions, the template its author fills in and the files it is
// written in, the states and the moves between them, the issue with its thread,
// the actors and what each of them may do.
//
// It decides nothing and stores nothing; package review does the one, package
// store the other.
package proposals
