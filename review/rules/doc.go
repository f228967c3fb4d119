// Package rules defines the types that all rules of the Chief of Staff use: the rule, the finding
// and its severity, the change under review with its texts, and the interface to the live
// definitions. A rule has an id, a severity, documentation with a bad and a good example, and a
// check. A check reads a Change and returns findings. Checks do no I/O except through the World,
// and never modify their input.
//
// The rules are in subfolders, one for each family. The first letter of a rule's id is its family:
//
//	T     template   completeness of a proposal
//	N, L  names      names, and the ids of core tools
//	S, P  wording    text that manipulates the model; frames are data in rulebook,
//	                 matched by scan, and scored with the learned tables by judge
//	                 in wording/evidence.go
//	S     form       invisible and look-alike characters, credentials
//	S     reached    code, commands, and settings
//	O     overlaps   similarity to other tools
//	D     schema     input and output of a tool
//	R     trust      annotations, approvals, and changes that loosen them
//	A     agents     souls, templates, and allow-lists
//	B     budget     effect of a change on the size of every prompt
//	F     files      files of skills and instructions
//
// Package ruleset combines the rules and applies a configuration. Package rulebook describes all
// rules (name, severity, documentation, examples), and rulestest contains helpers for their tests.
// Rules of a family share intermediate results through Computed.
package rules
