// Package overlap finds near-duplicates of a tool among a hundred thousand tools. Two tools can be
// similar in their text or in their purpose. The package also finds the passages that two tools
// share.
//
// A text is represented by the set of its word shingles, and a purpose by the set of its content
// words. Each set is reduced to a Sketch of 512 bits. An Index finds the sketches of sets that may
// be similar in well under a millisecond. Its results are only candidates, which a Fingerprint can
// compare exactly.
//
// The similarity of two sets is their resemblance, |A∩B| / |A∪B| (the Jaccard index). Sketches
// estimate it by min-wise hashing: A. Broder, On the resemblance and containment of documents,
// SEQUENCES 1997.
package overlap
