// Package statement encodes and decodes statements, the texts that users sign in order to
// decide. The format is "toolcrib decision 1"; docs/signing-format.md describes it.
//
// A statement describes one act completely: it contains all data that is recorded about
// the act. Therefore, toolcrib can build the statement again from the record, and the
// signature is valid for this act only. Each act has exactly one statement: lines end in LF, the
// keywords are ASCII, the order is fixed, no line is optional, and free text is replaced
// by its hash. Decode rejects all other texts.
package statement
