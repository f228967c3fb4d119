// Package statement encodes and decodes statements, the texts that users sign in order to
// decide. The format is "toolcrib decision 1"; docs/signing-format.md describes it.
//
// A statement contains an act, with all data that is recorded about the act. The
// statement can therefore be reconstructed from the record, and a signature for an act is
// not valid for any other act. Each act has exactly one statement: lines end in LF, the
// keywords are ASCII, the order is fixed, no line is optional, and free text is replaced
// by its hash. Decode rejects all other texts.
package statement
