// Package diff computes the differences between two texts or two definitions, and
// merges two changes of the same base.
//
// Lines compares two texts and returns a Patch, which Patch.Unified divides into
// Hunks for display. Hunk.Words marks the changed parts of lines.
// Definitions and Contents compare field by field. Merge3 merges texts, and
// MergeDefinitions merges definitions.
//
// The algorithm of Lines is:
//
//  1. Equal lines at both ends are set aside. The other lines are replaced by
//     numbers.
//  2. Lines that are rare on both sides are anchors. The longest common
//     subsequence of the anchors is retained (Hunt and Szymanski, "A Fast Algorithm
//     for Computing Longest Common Subsequences", CACM 20, 1977). If only lines
//     that occur once were anchors, this would be Bram Cohen's patience diff.
//     As in the histogram diff of JGit, lines that occur a few times are anchors,
//     too. Otherwise, a single moved line could displace many anchors.
//  3. Between two anchors, lines that occur on one side only are changed. The
//     remaining lines are compared exactly in linear space (Myers, "An O(ND)
//     Difference Algorithm and Its Variations", Algorithmica 1, 1986).
//  4. The work of step 3 is limited. It is measured in operations rather than in
//     seconds, which makes the results reproducible. If a piece would exceed its
//     share of the work, step 2 is applied to the piece. If step 2 finds no
//     anchors, the piece is compared greedily in strides. Each stride is a
//     limited search with the algorithm of Myers.
//  5. Edits that can be moved up or down without changing the result are moved
//     to the position that the indent heuristic of git prefers (Michael
//     Haggerty, 2016).
//
// Texts are not normalized: white space, line ends, and invisible characters are
// significant. The results contain the texts unchanged and are not safe to print.
package diff
