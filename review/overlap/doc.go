// Package overlap finds near-duplicates of a tool, by text or by purpose, among a hundred thousand
// tools, and shows the passages that two tools share.
//
// A text is reduced to the set of its word shingles, a purpose to the set of its content words, and
// a set to a Sketch of 512 bits. An Index finds the sketches of possibly similar sets in well under
// a millisecond. Its results are candidates; a Fingerprint compares two tools exactly.
//
// The similarity of two sets is their resemblance, |A∩B| / |A∪B| (the Jaccard index), estimated by
// min-wise hashing: A. Broder, On the resemblance and containment of documents, SEQUENCES 1997.
package overlap
