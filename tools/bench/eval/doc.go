// Command eval measures the rules of families S and P on labelled definitions
// and prompts, and trains the learned tables of the rules.
//
// Sources are held out: with -learn, every source (a package, a repository, a
// server) is judged by tables that were learned from others, and so are the
// thresholds found. Without it, the tables in force judge, which have learned from
// the sources themselves. By the hash of its name every source falls into one of
// two halves; frames are written with the half "tune" in view, nobody reads the
// texts of "held", and its figures are left out without -held. Honest figures are
// means over sources, so that one large server does not decide them. Definitions
// are read as an import reads them (package review/intake).
//
// The data are not part of the repository: -data or TOOLCRIB_EVAL_DATA name the
// folder, which has the sub-folders honest, rules, rules_subtle and mcp. What is in
// a sub-folder unseen is only measured: tools.jsonl, prompts.jsonl, attacks.jsonl,
// and skills.jsonl, of which each row has the clean text beside the poisoned one. The
// honest half of it that may be read counts when the thresholds are found. Without
// data there is nothing to measure, and the program says so and exits 0. It ends with
// the bars that the rules are held to, each beside what was measured.
//
// With -changes, it measures the facts of reach (package review/reach) instead, on the
// versions of skills, instructions and tools in another folder: how many facts honest
// changes add, how many of these changes warn, and how many attacks in a change have a new
// fact at their line. Honest changes are halved by source, attacks by mechanism.
package main
