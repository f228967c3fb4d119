// Command eval measures the rules of the families S and P on labelled definitions and prompts, and trains the
// learned tables of these rules.
//
// With -learn, each source (a package, a repository, or a server) is judged by tables and thresholds that were
// derived from other sources. Without -learn, the current tables are used, which were trained on all sources.
//
// A hash of its name assigns each source to one of two halves, "tune" and "held". The authors of the rules read
// only texts of the half "tune". Results for the half "held" are printed only with -held. Results for honest
// texts are means over the sources, so a single large server does not dominate them. Definitions are read in
// the same way as by an import (package review/intake).
//
// The data is not part of the repository. The flag -data or the environment variable TOOLCRIB_EVAL_DATA
// specifies a folder with the subfolders honest, rules, rules_subtle, mcp, and unseen. The samples in the
// subfolder unseen are measured, but never used for training. In its file skills.jsonl, each row contains a
// poisoned text and the corresponding clean text. The honest samples of the subfolder that belong to the half
// "tune" are also used to determine thresholds. Without data, the command prints a message and exits with 0. At
// the end, the command prints each required result next to the measured result.
//
// With -changes, the command instead measures the facts of package review/reach on changes of skills,
// instructions, and tools in another folder. It reports how many facts honest changes add, how many honest
// changes cause warnings, and how many attacks add a fact in the line of the attack. Honest changes are divided
// into halves by source, and attacks by mechanism.
package main
