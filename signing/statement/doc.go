// Package statement is the text that a user signs to decide: "toolcrib decision
// 1". It encodes and strictly decodes it. docs/signing-format.md has the format.
//
// A statement names one act with everything that the act writes down, so it can
// be computed again from the record, and a signature for one act is none for
// another. It has LF line ends, ASCII keywords, a fixed order, no optional
// lines, and free text only as a hash: every act has exactly one statement.
package statement
