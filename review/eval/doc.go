// Command eval measures the rules of families S and P on labelled definitions
// and prompts: recall by file and by class of attack, false alarms on honest
// ones, and every miss and every false alarm.
//
// It reads a folder of NDJSON files, given by -data or TOOLCRIB_EVAL_DATA, else
// ../shared/data/rules beside the repository. When there is none it says so and
// exits 0.
package main
