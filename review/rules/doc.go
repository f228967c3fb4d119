// Package rules holds what the Chief of Staff looks for. A rule is a value with
// an id, a severity, documentation with a bad and a good example, and a check;
// a family of rules is one file. A check reads a Change and returns findings;
// it does no I/O of its own and never changes what it reads.
package rules
