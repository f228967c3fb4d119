// Command eval measures the rules of families S and P on labelled definitions
// and prompts, and trains the learned tables of the rules.
//
// Sources are held out: every source (a package, a repository, a server) falls
// by the hash of its name into one of two halves. What is tuned or learned, is
// tuned on the half "tune" and reported on the half "held"; nobody reads the
// texts of "held". Honest figures are means over sources, so that one large
// server does not decide them. Definitions are read as an import reads them
// (package review/intake).
//
// The data are not part of the repository: -data or TOOLCRIB_EVAL_DATA name the
// folder, which has the sub-folders honest, rules, rules_subtle and mcp. Without
// it there is nothing to measure, and the program says so and exits 0.
package main
