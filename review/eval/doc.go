// Command eval measures the rules of families S and P on labelled definitions
// and prompts: recall by file and by class of attack, false alarms on honest
// ones, and every miss and every false alarm. Then it estimates what S139 does
// with sources it was not learned from: tables are learned anew without the
// sources, and without the files of testdata, that they are tried on.
//
// With -learn it learns the table of S139 from everything and writes it. The
// weights of words are all that is kept of the labelled data.
//
// It reads a folder of NDJSON files, given by -data or TOOLCRIB_EVAL_DATA, else
// ../shared/data/rules beside the repository. When there is none it says so and
// exits 0.
package main
