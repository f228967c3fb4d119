// Package diff computes the changes between two texts or two definitions, and
// merges two changes of one text.
//
// Lines compares two texts and returns a Patch, which applies, reverses and
// cuts itself into Hunks for a reviewer. Hunk.Words marks what changed within
// the lines. Definitions and Values compare field by field. Merge3 and
// MergeDefinitions bring two changes of one base together.
//
// How lines are compared:
//
//  1. Equal lines at both ends are set aside, the others become numbers.
//  2. Lines that are rare on both sides are anchors: the longest common
//     subsequence of these alone is kept (Hunt and Szymanski, "A Fast Algorithm
//     for Computing Longest Common Subsequences", CACM 20, 1977). With lines
//     that occur once this is Bram Cohen's patience diff; lines that occur a
//     few times are let in as in the histogram diff of JGit, so that one moved
//     line cannot pull everything else out of place.
//  3. Between the anchors, lines that are only on one side are changed, and the
//     rest is compared exactly in linear space (Myers, "An O(ND) Difference
//     Algorithm and Its Variations", Algorithmica 1, 1986).
//  4. The work of step 3 is counted, not timed, so results repeat. Where it
//     would exceed its share, step 2 is tried on the smaller piece, and then
//     the piece is walked greedily, each stride a bounded search by Myers.
//  5. Edits that can slide up or down are put where people expect them, by the
//     indent heuristic of git (Michael Haggerty, 2016).
//
// Nothing is normalized: white space, line ends and invisible characters count. The
// results contain the texts unchanged, so they are not safe to print.
package diff
