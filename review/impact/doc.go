// Package impact predicts the effect of a change on prompts before it is approved: the prompts of every agent before
// and after, their costs, the results of test cases, and the tools of an agent. It only reads.
package impact
