// Package overlap finds near-duplicates of a tool, by text or by purpose, among a hundred
// thousand tools, and shows their common passages.
//
// A text is reduced to the set of its word shingles, a purpose to the set of
// its content words, and a set to a Sketch of 512 bits. An Index answers in
// well under a millisecond which sketches may belong to similar sets. Its results are
// candidates; Fingerprint compares two tools exactly.
//
// The similarity of two sets is their resemblance, |A∩B| / |A∪B| (Jaccard's
// index), estimated by min-wise hashing: A. Broder, On the resemblance and
// containment of documents, SEQUENCES 1997.
package overlap
