// Package jsondoc reads one JSON value strictly and keeps the place of
// everything in it, so that whoever refuses a part can say which part, where,
// and what was expected there. It also writes the canonical form that content
// hashes are computed over.
//
// Strict means: one value and nothing after it, no duplicate keys, no invalid
// UTF-8, no lone surrogates, no NUL, bounded size and depth. Problems of shape
// are collected and reported together; a broken token ends the reading.
package jsondoc
