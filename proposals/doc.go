// Package proposals has proposals with their immutable revisions, the template
// that authors fill in and its files, the states and transitions, the issue with
// its thread, and the actors with their authority.
//
// It decides nothing and stores nothing; package review does the one, package
// store the other.
package proposals
