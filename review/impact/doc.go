// Package impact shows what a change does to prompts before it is approved: the
// prompts of every agent as they are and as they would be, what they cost, how test
// cases come out, and which tools an agent would have. It reads, and never writes.
package impact
