// Package jsondoc parses JSON strictly. It keeps the position of every value, so
// that each error has a path, a position, and the expected value. It also writes
// the canonical form from which content hashes are computed.
//
// Strict means that a document has exactly one value, no duplicate keys, no
// invalid UTF-8, no unpaired surrogates, no NUL, and a limited size and depth.
// Problems of the structure are collected and reported together. A syntax error
// ends parsing.
package jsondoc
