// Package rules has the parts that the rules of the Chief of Staff share: the
// rule, the finding and its severity, the change under review with its texts, and
// the live definitions around it. A rule has an id, a severity, documentation with
// a bad and a good example, and a check. A check reads a Change and returns
// findings; it does no I/O of its own and never changes its input.
//
// The rules are below, a folder a family, by the letter that a rule's id begins with:
//
//	T     template   is everything there that a reviewer needs
//	N, L  names      names, and the ids of core tools
//	S, P  wording    text that works on the model; frames are data in rulebook,
//	                 matched by scan, weighed in wording/evidence.go (judge) with the
//	                 learned tables
//	S     form       characters that nobody sees or that look like others, padding,
//	                 credentials
//	O     overlaps   what is like another tool
//	D     schema     what a tool takes and gives back
//	R     trust      what a definition says about how far it can be trusted
//	A     agents     souls, templates and allow-lists
//	B     budget     what a change costs in every prompt
//
// Package ruleset puts them together and applies a configuration; rulebook describes
// all of them (name, severity, documentation, examples); rulestest has what their tests
// share. What several rules of a family need of a change is kept there by Computed.
package rules
