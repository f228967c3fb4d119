// Package jsondoc parses JSON strictly. It records the position of every value, so each
// error can state a path, a position, and the expected value. The package also writes
// the canonical form, which determines content hashes.
//
// The parser requires that a document has exactly one value and a limited size and
// depth, and that it has no duplicate keys, invalid UTF-8, unpaired surrogates, or NUL
// characters. It collects structural problems and reports them together. A syntax error
// ends parsing.
package jsondoc
