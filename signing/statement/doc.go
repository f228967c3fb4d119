// Package statement encodes and strictly decodes the text that a user signs to
// decide: "toolcrib decision 1". docs/signing-format.md describes the format.
//
// A statement has one act with everything that the act records. It can therefore be
// computed again from the record, and a signature for one act is invalid for every
// other. It has LF line ends, ASCII keywords, a fixed order, no optional lines, and
// free text only as a hash, so every act has exactly one statement.
package statement
