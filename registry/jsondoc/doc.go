// Package jsondoc parses JSON strictly and keeps the position of every value, so
// that errors have a path, a position and the expected value. It also writes the
// canonical form from which content hashes are computed.
//
// Strict means: exactly one value, no duplicate keys, no invalid UTF-8, no lone
// surrogates, no NUL, limited size and depth. Problems of structure are collected
// and reported together; a syntax error ends parsing.
package jsondoc
