// Package review is the desk: the only place where a proposal moves. Every interface
// uses it, and what an actor may do is decided here, inside the transaction
// that does it. The desk drafts, submits, revises and withdraws for authors;
// assesses for the Chief of Staff; approves, sends back, rejects and waives for
// the user alone; and on approval writes the version, then the live registry.
package review
