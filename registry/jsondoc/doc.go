// Package jsondoc reads one JSON value strictly and keeps the place of everything
// in it, for errors with a path, a position and the expected value. It also writes
// the canonical form that content hashes are computed over.
//
// Strict means: one value and nothing after it, no duplicate keys, no invalid
// UTF-8, no lone surrogates, no NUL, bounded size and depth. Problems of shape
// are collected and reported together; a broken token ends the reading.
package jsondoc
